import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { faultsOfTable } from './check-table.js';
import { decisions, PROJECT_ROOT, specification } from './project-documents.js';
import type { Requirement } from './read-requirements.js';
import { readTestTitles } from './read-test-titles.js';
import type { SpecificationEntry } from './specification-entry.js';
import { SPECIFICATION_TABLE } from './specification-table.js';

const read = new Map<string, readonly string[] | undefined>();

function titlesOf(file: string): readonly string[] | undefined {
  if (!read.has(file)) {
    const found = path.join(PROJECT_ROOT, file);
    read.set(file, existsSync(found) ? readTestTitles(file, readFileSync(found, 'utf8')) : undefined);
  }
  return read.get(file);
}

describe('the specification', () => {
  test('has for each rule, row and sentence the tests that prove it, and they exist', () => {
    const requirements = [...specification(), ...decisions()];
    expect(requirements.length).toBeGreaterThan(300);
    expect(faultsOfTable({ requirements, entries: SPECIFICATION_TABLE, titlesOf })).toEqual([]);

    const count = (isOne: (entry: SpecificationEntry) => boolean) => SPECIFICATION_TABLE.filter(isOne).length;
    const missing = SPECIFICATION_TABLE.flatMap(({ notBuiltYet = [] }) => notBuiltYet);
    process.stdout.write(
      `specification: ${SPECIFICATION_TABLE.length} requirements; ` +
        `${count(({ provedBy }) => provedBy !== undefined)} proved by tests ` +
        `(${count(({ awaits }) => awaits !== undefined)} of them as far as built), ` +
        `${count(({ requiresNothing }) => requiresNothing !== undefined)} require nothing, ` +
        `${missing.length} not built yet: ${[...new Set(missing)].sort().join('; ')}\n`,
    );
  });
});

describe('the table of the specification', () => {
  const requirement: Requirement = { at: 'Limits / Request body', says: 'Request body | 1 MB' };
  const proved = { ...requirement, provedBy: { 'a.test.ts': ['group > test'] } };
  const faults = (
    entries: readonly SpecificationEntry[],
    requirements: readonly Requirement[] = [requirement],
  ) =>
    faultsOfTable({
      requirements,
      entries,
      titlesOf: (file) => (file === 'a.test.ts' ? ['group > test'] : undefined),
    });
  const key = 'Limits / Request body: Request body | 1 MB';

  test('holds when each requirement has an entry whose tests exist', () => {
    expect(faults([proved])).toEqual([]);
  });

  test('does not hold when a requirement has no entry, has two, or has changed', () => {
    expect(faults([])).toEqual([`has no entry: ${key}`]);
    expect(faults([proved, proved])).toEqual([`has two entries: ${key}`]);
    expect(faults([{ ...proved, says: 'Request body | 2 MB' }])).toEqual([
      `has no entry: ${key}`,
      'is in none of the documents: Limits / Request body: Request body | 2 MB',
    ]);
  });

  test('does not hold when a test or its file does not exist', () => {
    expect(faults([{ ...requirement, provedBy: { 'a.test.ts': ['group > other'] } }])).toEqual([
      `a.test.ts has no test 'group > other': ${key}`,
    ]);
    expect(faults([{ ...requirement, provedBy: { 'b.test.ts': ['group > test'] } }])).toEqual([
      `there is no file b.test.ts: ${key}`,
    ]);
  });

  test('does not hold when an entry says nothing, or two things at once', () => {
    const one = `needs one of provedBy, requiresNothing and notBuiltYet: ${key}`;
    expect(faults([requirement])).toEqual([one]);
    expect(faults([{ ...proved, requiresNothing: 'a label' }])).toEqual([one]);
    expect(faults([{ ...requirement, provedBy: {} }])).toEqual([`names no test: ${key}`]);
    expect(faults([{ ...requirement, requiresNothing: '' }])).toEqual([`gives no reason: ${key}`]);
    expect(faults([{ ...requirement, requiresNothing: 'a label', awaits: 'more' }])).toEqual([
      `awaits more, but nothing is proved: ${key}`,
    ]);
  });

  test('does not hold when something of the surfaces of partners is not built', () => {
    expect(faults([{ ...requirement, notBuiltYet: 'limits' }])).toEqual([`must be built: limits: ${key}`]);
    const later = { at: 'Events / Secret rotation / rule 1', says: 'Rotate.' };
    expect(faults([{ ...later, notBuiltYet: 'rotation' }], [later])).toEqual([]);
  });
});
