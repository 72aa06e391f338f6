import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { API_VERSION_LIVES } from '@partner/proto-contracts/api/versions';
import { API_VERSIONS } from './app.js';

test('only the current version is served, and the changelog announces it [VERSION-3]', () => {
  expect(API_VERSIONS.current.date).toBe('2026-08-26');
  expect(API_VERSIONS.select('2026-08-25').problem).toBe('must be 2026-08-26');
  const changelog = readFileSync(path.join(import.meta.dirname, '../../../CHANGELOG.md'), 'utf8').split('\n');
  for (const { announced } of API_VERSION_LIVES) expect(changelog).toContain(`## ${announced}`);
});
