import MarkdownIt from 'markdown-it';
import type { Html } from './html.js';

/**
 * HTML in a text is escaped. Links go to `https://` or within the page; any other one stays text, and so do
 * images.
 */
const markdown = new MarkdownIt({ html: false }).disable('image');
markdown.validateLink = (url) => /^(?:https:\/\/|#)/.test(url);

/** A table that is wider than the screen scrolls, also by keyboard. */
markdown.renderer.rules['table_open'] = () => '<div class="wide" tabindex="0"><table>';
markdown.renderer.rules['table_close'] = () => '</table></div>';

markdown.core.ruler.push('heading_anchors', ({ tokens, env }) => {
  if (env !== WITH_ANCHORS) return;
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    token.attrSet('id', (tokens[index + 1]?.content ?? '').toLowerCase().replaceAll(' ', '-'));
  }
});

const WITH_ANCHORS = {};

export function renderMarkdown(text: string): Html {
  return { html: markdown.render(text) };
}

/** Renders Markdown whose headings have anchors: their texts in lower case, with `-` for spaces. */
export function renderWithAnchors(text: string): Html {
  return { html: markdown.render(text, WITH_ANCHORS) };
}

export function renderInline(text: string): Html {
  return { html: markdown.renderInline(text) };
}
