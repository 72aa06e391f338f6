import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { createFormatCheck } from './format-check.js';

test('without its schema the check of a format reports that it was skipped, and finds nothing', () => {
  const told: string[] = [];
  const { note, faults } = createFormatCheck('a.json', '/nowhere', (line) => told.push(line));
  expect(note).toBe(' (skipped: its schema is not at /nowhere/a.json)');
  expect(told).toEqual(['formats: the check against a.json was skipped: there is no /nowhere/a.json\n']);
  expect(faults({ anything: true })).toEqual([]);
});

test('with its schema it says nothing, but what is wrong with a document', () => {
  const told: string[] = [];
  const folder = mkdtempSync(path.join(tmpdir(), 'partner-formats-'));
  writeFileSync(path.join(folder, 'a.json'), JSON.stringify({ type: 'object', required: ['name'] }));
  try {
    const { note, faults } = createFormatCheck('a.json', folder, (line) => told.push(line));
    expect({ note, told }).toEqual({ note: '', told: [] });
    expect(faults({ name: 'x' })).toEqual([]);
    expect(faults({})).toEqual([expect.stringContaining("must have required property 'name'")]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
