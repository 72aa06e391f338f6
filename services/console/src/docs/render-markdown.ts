import MarkdownIt from 'markdown-it';
import type { Html } from './html.js';

/**
 * HTML in a text is escaped. Links go to `https://` or within the page; any other one stays text, and so do
 * images.
 */
const markdown = new MarkdownIt({ html: false }).disable('image');
markdown.validateLink = (url) => /^(?:https:\/\/|#)/.test(url);

/** Roles that keep a table a table for screen readers where the style sheet makes blocks of its rows. */
const ROLES: Readonly<Record<string, string>> = {
  table_open: 'table',
  thead_open: 'rowgroup',
  tbody_open: 'rowgroup',
  tr_open: 'row',
  th_open: 'columnheader',
  td_open: 'cell',
};

markdown.core.ruler.push('table_roles', ({ tokens }) => {
  let titles: string[] = [];
  let column = 0;
  for (const [index, token] of tokens.entries()) {
    const role = ROLES[token.type];
    if (role === undefined) continue;
    token.attrSet('role', role);
    if (token.type === 'table_open') {
      token.attrSet('class', 'plain');
      titles = [];
    } else if (token.type === 'tr_open') {
      column = 0;
    } else if (token.type === 'th_open') {
      token.attrSet('scope', 'col');
      titles.push(tokens[index + 1]?.content ?? '');
    } else if (token.type === 'td_open') {
      token.attrSet('data-title', titles[column] ?? '');
      column += 1;
    }
  }
});

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
