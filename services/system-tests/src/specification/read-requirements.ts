/** One thing that a document says: a numbered item, a row of a table, or a sentence. */
export interface Requirement {
  /**
   * Where it stands: the headings, then `rule N` for a numbered item or the first cells of a row (as many as tell the rows of
   * the table apart). A sentence has no more than its headings.
   */
  readonly at: string;
  /** What it says, on one line; the cells of a row are parted by ` | `. */
  readonly says: string;
}

/**
 * Takes a document in Markdown apart. `name` stands before the headings of everything in it; the document's own title is left
 * out. Every line that is not a heading belongs to exactly one requirement.
 */
export function readRequirements(name: string, markdown: string): Requirement[] {
  const headings: string[] = [];
  const at = (place?: string) => [name, ...headings, place].filter(Boolean).join(' / ') || 'Introduction';
  return blocksOf(markdown).flatMap((block): Requirement[] => {
    switch (block.kind) {
      case 'heading':
        headings.splice(block.level - 2, headings.length, block.text);
        if (block.level === 1) headings.length = 0;
        return [];
      case 'numbered':
        return [{ at: at(`rule ${block.number}`), says: block.text }];
      case 'text':
        return sentencesOf(block.text).map((says) => ({ at: at(), says }));
      case 'table': {
        const width = cellsThatTellApart(block.rows);
        return block.rows.map((cells) => ({
          at: at(cells.slice(0, width).join(' ')),
          says: cells.join(' | '),
        }));
      }
    }
  });
}

type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'numbered'; readonly number: string; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] };

function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  const finish = () => {
    if (lines.length > 0) blocks.push(blockOf(lines));
    lines = [];
  };
  for (const line of markdown.split('\n')) {
    const isRow = line.startsWith('|');
    const goesOnTable = isRow && lines[0]?.startsWith('|') === true;
    if (!goesOnTable && (line.trim() === '' || /^(#|\d+\. |- )/.test(line) || isRow)) finish();
    if (line.trim() !== '') lines.push(line.trim());
    if (line.startsWith('#')) finish();
  }
  finish();
  return blocks;
}

function blockOf(lines: readonly string[]): Block {
  const text = lines.join(' ');
  if (text.startsWith('|')) return { kind: 'table', rows: lines.slice(2).map(cellsOf) };
  const heading = /^(#+) (.*)$/.exec(text);
  if (heading !== null) {
    return { kind: 'heading', level: heading[1]?.length ?? 0, text: heading[2] ?? '' };
  }
  const numbered = /^(\d+)\. (.*)$/.exec(text);
  if (numbered !== null) return { kind: 'numbered', number: numbered[1] ?? '', text: numbered[2] ?? '' };
  return { kind: 'text', text: text.replace(/^- /, '') };
}

function cellsOf(row: string): string[] {
  return row
    .slice(1, row.lastIndexOf('|'))
    .split('|')
    .map((cell) => cell.trim());
}

function cellsThatTellApart(rows: readonly (readonly string[])[]): number {
  let width = 1;
  while (
    new Set(rows.map((cells) => cells.slice(0, width).join(' '))).size < rows.length &&
    rows.some((cells) => cells.length > width)
  ) {
    width += 1;
  }
  return width;
}

/** A full stop ends a sentence, unless it belongs to an abbreviation or a lower-case word follows. */
function sentencesOf(text: string): string[] {
  return text.split(/(?<=\.\)?)(?<!\b(?:e\.g|i\.e)\.)\s+(?=[A-Z0-9`'])/);
}
