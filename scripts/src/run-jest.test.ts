import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runJest } from './run-jest.js';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'partner-jest-'));
  writeFileSync(path.join(folder, 'package.json'), '{}');
  writeFileSync(
    path.join(folder, 'mixed.test.js'),
    `test('a', () => {}); test('b', () => { throw new Error('b'); }); test('left out', () => {});`,
  );
  writeFileSync(path.join(folder, 'broken.test.js'), `throw new Error('broken');`);
});

afterAll(() => rmSync(folder, { recursive: true }));

const run = (pattern: string) =>
  runJest({
    args: [`--rootDir=${folder}`, '--testNamePattern=^(a|b)$', '--', pattern],
    isSilent: true,
    reportFile: path.join(folder, `${pattern}.json`),
  });

test.each([
  ['mixed', { files: 1, passed: 1, failed: 1, skipped: 1, succeeded: false }],
  ['broken', { files: 1, passed: 0, failed: 1, skipped: 0, succeeded: false }],
  ['nowhere', { files: 0, passed: 0, failed: 0, skipped: 0, succeeded: true }],
])('the totals of the tests whose path matches "%s" are counted', async (pattern, totals) => {
  await expect(run(pattern)).resolves.toEqual(totals);
});
