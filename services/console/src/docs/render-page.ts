import { createHash } from 'node:crypto';
import { DOCS_STYLE } from './docs-style.js';
import { type Html, html, NOTHING } from './html.js';

/** Allows the style of `renderPage` in a content security policy. */
export const STYLE_SOURCE = `'sha256-${createHash('sha256').update(DOCS_STYLE).digest('base64')}'`;

/** The hash covers everything between the tags. */
const STYLE: Html = { html: `<style>${DOCS_STYLE}</style>` };

/** Renders a page with its style inline: a separate style sheet delays the first paint by a round trip. */
export function renderPage({
  title,
  icon,
  head = NOTHING,
  body,
}: {
  readonly title: string;
  readonly icon: string;
  readonly head?: Html;
  readonly body: Html;
}): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="${icon}" type="image/svg+xml" />
        ${STYLE} ${head}
      </head>
      <body>
        ${body}
      </body>
    </html> `;
  return page.html;
}
