import { type Html, html } from './html.js';

/**
 * Renders the Markdown subset of API descriptions: paragraphs, lists, tables and code blocks; inline code, bold text,
 * and links to `https://` or within the page. All other text is kept as it is.
 */
export function renderMarkdown(text: string): Html {
  return html`${blocksOf(text).map(renderBlock)}`;
}

/** Renders inline Markdown. */
export function renderInline(text: string): Html {
  const pieces = text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\((?:https:\/\/|#)[^)\s]+\))/);
  return html`${pieces.map(renderPiece)}`;
}

function renderPiece(piece: string): Html {
  if (/^`[^`]+`$/.test(piece)) return html`<code>${piece.slice(1, -1)}</code>`;
  if (/^\*\*[^*]+\*\*$/.test(piece)) return html`<strong>${renderInline(piece.slice(2, -2))}</strong>`;
  const link = /^\[([^\]]+)\]\(((?:https:\/\/|#)[^)\s]+)\)$/.exec(piece);
  if (link === null) return html`${piece}`;
  const [, label = '', target = ''] = link;
  return html`<a href="${target}">${renderInline(label)}</a>`;
}

/** Splits a text into the lines of each block. A blank line ends a block, except in a code block. */
function blocksOf(text: string): readonly (readonly string[])[] {
  const blocks: string[][] = [];
  let block: string[] = [];
  let isInCode = false;
  const end = () => {
    if (block.length > 0) blocks.push(block);
    block = [];
  };
  for (const line of text.trim().split('\n')) {
    const isFence = line.startsWith('```');
    if (isFence && !isInCode) end();
    if (isInCode || line.trim() !== '') block.push(line);
    else end();
    if (isFence && isInCode) end();
    if (isFence) isInCode = !isInCode;
  }
  end();
  return blocks;
}

function renderBlock(lines: readonly string[]): Html {
  const [first = ''] = lines;
  if (first.startsWith('```')) return html`<pre><code>${lines.slice(1, -1).join('\n')}</code></pre>`;
  if (first.startsWith('|')) return renderTable(lines);
  if (first.startsWith('- '))
    return html`<ul>
      ${listItems(lines, /^- /)}
    </ul>`;
  if (/^\d+\. /.test(first))
    return html`<ol>
      ${listItems(lines, /^\d+\. /)}
    </ol>`;
  return html`<p>${renderInline(lines.join(' '))}</p>`;
}

function listItems(lines: readonly string[], marker: RegExp): readonly Html[] {
  const items: string[] = [];
  for (const line of lines) {
    if (marker.test(line)) items.push(line.replace(marker, ''));
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  return items.map((item) => html`<li>${renderInline(item)}</li> `);
}

function renderTable(lines: readonly string[]): Html {
  const [head = [], , ...rows] = lines.map(cellsOf);
  return renderRows(
    head,
    rows.map((cells) => cells.map((cell) => renderInline(cell))),
  );
}

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

function cellsOf(line: string): readonly string[] {
  return line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}
