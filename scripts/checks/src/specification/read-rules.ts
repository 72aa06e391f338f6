import { readProjectFile } from '@partner/local-stack/project-root';

/** One rule of the specification or of the decisions. */
export interface Rule {
  readonly id: string;
  /** The heading, item or paragraph of the rule on one line; empty for a row of a table. */
  readonly text: string;
  /** The cells of its table, or of its one row, without the id. */
  readonly rows: (readonly string[])[];
}

interface Rules {
  readonly rules: Rule[];
  /** Items, paragraphs and rows that belong to no rule. */
  readonly withoutId: string[];
}

/** The rules of the specification and of the decisions. */
export function readProjectRules(): Rules {
  const documents = ['partner-integration-service.md', 'decisions.md'].map((name) =>
    readRules(readProjectFile(`proto-contracts/spec/${name}`)),
  );
  return {
    rules: documents.flatMap(({ rules }) => rules),
    withoutId: documents.flatMap(({ withoutId }) => withoutId),
  };
}

/**
 * Reads a document in Markdown. An id in bold starts each rule: a heading, an item, a paragraph or a row. Rows without an id
 * belong to the rule directly above their table. The introduction, headings, lead-ins and the "not shown" parts need no id.
 */
function readRules(markdown: string): Rules {
  const rules: Rule[] = [];
  const withoutId: string[] = [];
  let above: Rule | undefined;
  for (const block of blocksOf(markdown)) {
    const isRow = block.startsWith('|');
    const [, id, text = block] = /^(?:#+ |- |\d+\. |\| )?\*\*([A-Z]+-\d+)\*\*(.*)$/.exec(block) ?? [];
    if (id !== undefined) {
      const rule: Rule = { id, text: isRow ? '' : text.trim(), rows: isRow ? [cellsOf(text.trim())] : [] };
      rules.push(rule);
      above = isRow ? undefined : rule;
    } else if (isRow && above !== undefined) {
      above.rows.push(cellsOf(block));
    } else {
      const needsId = !block.startsWith('#') && !/^[A-Z].*:$/.test(block) && !block.includes(': not shown');
      if (needsId) withoutId.push(block);
      above = undefined;
    }
  }
  return { rules, withoutId };
}

/** Everything below the first part's heading: headings, items, paragraphs and rows of tables, each on one line. */
function blocksOf(markdown: string): string[] {
  const parts = markdown.slice(markdown.indexOf('\n## '));
  const withoutTableHeads = parts.replaceAll(/^\|.*\n\|[ :|-]+\|$/gm, '');
  return withoutTableHeads
    .split(/\n\s*\n|\n(?=#|- |\d+\. |\|)/)
    .map((block) => block.trim().replaceAll(/\s*\n\s*/g, ' '))
    .filter((block) => block !== '');
}

function cellsOf(row: string): string[] {
  return row
    .slice(1, row.lastIndexOf('|'))
    .split('|')
    .map((cell) => cell.trim());
}
