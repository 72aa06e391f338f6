import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { apiViolations, migrationViolations, RELEASED, writeRelease } from './last-release.js';

const PROJECT = path.resolve(import.meta.dirname, '../../../..');
const MIGRATIONS = 'services/job-state/src/database/migrations';

let root: string;

beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), 'partner-release-'));
  cpSync(path.join(PROJECT, MIGRATIONS), path.join(root, MIGRATIONS), { recursive: true });
});
afterAll(() => rmSync(root, { recursive: true }));

test('a release is compared with the API and the migrations', () => {
  writeRelease(root);
  expect(apiViolations(root)).toEqual([]);
  expect(migrationViolations(root)).toEqual([]);

  const file = path.join(root, RELEASED.folder, RELEASED.openApi);
  const released = readFileSync(file, 'utf8')
    .replaceAll('"createLead"', '"makeLead"')
    .replace('"quote.sent": {', '"quote.gone": {');
  writeFileSync(file, released);
  expect(apiViolations(root)).toEqual([
    '/inbound/leads/post/operationId: replace',
    'webhook quote.gone/post: remove',
  ]);

  writeFileSync(path.join(root, MIGRATIONS, '9999-added.ts'), 'export const added = 1;\n');
  expect(migrationViolations(root)).toEqual([]);
  writeFileSync(path.join(root, MIGRATIONS, '0001-initial-schema.ts'), '\n');
  rmSync(path.join(root, MIGRATIONS, '0002-overdue-deliveries.ts'));
  expect(migrationViolations(root)).toEqual([
    `${MIGRATIONS}/0001-initial-schema.ts: has changed`,
    `${MIGRATIONS}/0002-overdue-deliveries.ts: is missing`,
  ]);
});
