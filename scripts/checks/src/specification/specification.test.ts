import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { PROJECT_ROOT, readProjectFile } from '@partner/local-stack/project-root';

/** Rules that no test can prove, with the reason. */
const NOT_TESTED: Readonly<Record<string, string>> = {
  'RECEIVER-2': 'promises no order; the rest is up to a consumer',
  'RECEIVER-4': 'up to a consumer',
  'VERSION-6': 'defines a breaking change for the owners of the service',
};

/** Finds the ids at the end of titles in each test file: those directly before a quote. */
const TITLES = ['proto-contracts', 'services', 'scripts']
  .flatMap((top) =>
    readdirSync(path.join(PROJECT_ROOT, top), { recursive: true, encoding: 'utf8' }).map((file) =>
      path.posix.join(top, file),
    ),
  )
  .filter((file) => !/\/(dist|node_modules)\//.test(file))
  .filter((file) => file.endsWith('.test.ts') || /system-tests\/src\/(acceptance|browser)\//.test(file))
  .map((file) => ({ file, ids: idsOf(readProjectFile(file)) }));

function idsOf(text: string): string[] {
  return [...text.matchAll(/\[([A-Z]+-\d+(?:, [A-Z]+-\d+)*)\](?=['"`])/g)].flatMap(([, ids = '']) =>
    ids.split(', '),
  );
}

/**
 * Reads the ids of the rules in the specification and the decisions: each in bold at the start of a heading, an item, a paragraph
 * or a row. A row without an id belongs to the rule above its table. The introduction, headings, lead-ins and the "not shown"
 * parts need no id.
 */
function readRules() {
  const ids: string[] = [];
  const withoutId: string[] = [];
  for (const name of ['partner-integration-service.md', 'decisions.md']) {
    const markdown = readProjectFile(`proto-contracts/spec/${name}`);
    const parts = markdown.slice(markdown.indexOf('\n## ')).replaceAll(/^\|.*\n\|[ :|-]+\|$/gm, '');
    let isBelowRule = false;
    for (const block of parts.split(/\n\s*\n|\n(?=#|- |\d+\. |\|)/).map((text) => text.trim())) {
      const [, id] = /^(?:#+ |- |\d+\. |\| )?\*\*([A-Z]+-\d+)\*\*/.exec(block) ?? [];
      const isRow = block.startsWith('|');
      const needsNone = block === '' || block.startsWith('#') || /^[A-Z][^]*:$|: not shown/.test(block);
      if (id !== undefined) ids.push(id);
      else if (!needsNone && !(isRow && isBelowRule)) withoutId.push(block);
      if (block !== '') isBelowRule = isRow ? isBelowRule && id === undefined : id !== undefined;
    }
  }
  return { ids, withoutId };
}

describe('the rules of the specification and of the decisions', () => {
  const { ids, withoutId } = readRules();
  const proved = new Set(TITLES.flatMap((title) => title.ids));

  test('have a unique id each', () => {
    expect(ids.length).toBeGreaterThan(200);
    const repeated = ids.filter((id, index) => ids.indexOf(id) < index);
    expect({ withoutId, repeated }).toEqual({ withoutId: [], repeated: [] });
  });

  test('are named by the titles of the tests that prove them', () => {
    expect(ids.filter((id) => !proved.has(id))).toEqual(Object.keys(NOT_TESTED));
  });

  test('exist for each id in the title of a test', () => {
    const named = TITLES.flatMap((titles) => titles.ids.map((id) => ({ file: titles.file, id })));
    expect(named.filter(({ id }) => !ids.includes(id))).toEqual([]);
  });
});
