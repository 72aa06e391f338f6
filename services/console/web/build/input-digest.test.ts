import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { inputDigest } from './input-digest.js';

let root: string;
const digest = () => inputDigest(root, ['src', 'lock.json']);

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'input-digest-'));
  mkdirSync(path.join(root, 'src/pages'), { recursive: true });
  writeFileSync(path.join(root, 'src/pages/page.tsx'), 'page');
  writeFileSync(path.join(root, 'lock.json'), '{}');
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

test('stays the same while nothing changes', () => {
  expect(digest()).toBe(digest());
});

test.each([
  ['the content of a file', () => writeFileSync(path.join(root, 'src/pages/page.tsx'), 'other')],
  [
    'the name of a file',
    () => renameSync(path.join(root, 'src/pages/page.tsx'), path.join(root, 'src/pages/other.tsx')),
  ],
  ['a new file', () => writeFileSync(path.join(root, 'src/new.ts'), '')],
  ['a single file', () => writeFileSync(path.join(root, 'lock.json'), '{"a":1}')],
])('changes with %s', (_what, change) => {
  const before = digest();
  change();
  expect(digest()).not.toBe(before);
});
