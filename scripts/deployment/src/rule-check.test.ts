import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { createRuleCheck } from './rule-check.js';

test('without promtool the check of rules reports that it was skipped', async () => {
  const told: string[] = [];
  const { note, faults } = createRuleCheck('', (line) => told.push(line));
  expect(note).toBe(' (skipped: promtool is not installed)');
  expect(told).toEqual(['alerts: their rules and cases were skipped: promtool is not installed\n']);
  await expect(faults('/nowhere')).resolves.toEqual([]);
});

test('a failed check of rules reports the reason', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'partner-rules-'));
  const promtool = path.join(folder, 'promtool');
  writeFileSync(promtool, '#!/bin/sh\n[ "$1" = check ] && exit 0\necho "unexpected alert" >&2\nexit 1\n', {
    mode: 0o755,
  });
  try {
    const { note, faults } = createRuleCheck(promtool);
    expect(note).toBe('');
    await expect(faults(folder)).resolves.toEqual(['unexpected alert']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
