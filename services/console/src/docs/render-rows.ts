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
