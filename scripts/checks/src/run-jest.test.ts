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
  writeFileSync(path.join(folder, 'open.test.js'), `test('a', () => { setInterval(() => {}, 60_000); });`);
  writeFileSync(path.join(folder, 'endless.test.js'), `test('a', () => { for (;;); });`);
});

afterAll(() => rmSync(folder, { recursive: true }));

const run = (pattern: string, limits: { readonly limitMs: number; readonly endMs?: number }) =>
  runJest({
    ...limits,
    args: [`--rootDir=${folder}`, '--testNamePattern=^(a|b)$', '--', pattern],
    isSilent: true,
    reportFile: path.join(folder, `${pattern}.json`),
  });

test.each([
  ['mixed', { files: 1, passed: 1, failed: 1, skipped: 1, succeeded: false }],
  ['broken', { files: 1, passed: 0, failed: 1, skipped: 0, succeeded: false }],
  ['nowhere', { files: 0, passed: 0, failed: 0, skipped: 0, succeeded: true }],
])('counts the tests whose path matches "%s"', async (pattern, totals) => {
  await expect(run(pattern, { limitMs: 60_000 })).resolves.toEqual(totals);
});

test('kills a run that a test prevents from ending, and reports a failure', async () => {
  const totals = await run('open', { limitMs: 60_000, endMs: 10 });
  expect(totals).toEqual({ files: 1, passed: 1, failed: 1, skipped: 0, succeeded: false });
});

test('kills a run that exceeds its time limit, and reports a failure', async () => {
  const totals = await run('endless', { limitMs: 3_000 });
  expect(totals).toEqual({ files: 0, passed: 0, failed: 1, skipped: 0, succeeded: false });
});
