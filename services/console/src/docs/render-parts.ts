import { type Html, html } from './html.js';
import { renderInline } from './render-markdown.js';

/**
 * Renders a table whose rows become blocks on a narrow screen. Roles keep it a table for screen readers, and each cell
 * of a plain table carries its column's name. A space separates the cells, so that the search does not join their
 * words.
 */
export function renderRows(
  head: readonly string[],
  rows: readonly (readonly Html[])[],
  kind: 'fields' | 'plain' = 'plain',
): Html {
  return html`<table role="table" class="${kind}">
    <thead role="rowgroup">
      <tr role="row">
        ${head.map((title) => html`<th role="columnheader" scope="col">${renderInline(title)}</th> `)}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(
        (cells) =>
          html`<tr role="row">
            ${cells.map((cell, place) => html`<td role="cell" data-title="${head[place] ?? ''}">${cell}</td> `)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** Renders a JSON value, indented. The page's script colours it. */
export function renderJson(value: unknown): Html {
  return html`<pre><code class="json">${JSON.stringify(value, null, 2)}</code></pre>`;
}

const LINES_SHOWN_AT_ONCE = 24;

/** Renders an example under its title, collapsed if it is long. */
export function renderExample(title: string, value: unknown): Html {
  const isShort = JSON.stringify(value, null, 2).split('\n').length <= LINES_SHOWN_AT_ONCE;
  const content = html`<summary>${title}</summary>
    ${renderJson(value)}`;
  return isShort ? html`<details open>${content}</details>` : html`<details>${content}</details>`;
}
