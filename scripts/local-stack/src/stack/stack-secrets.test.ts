import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { writePrivateJson } from '../private-file.js';
import { ensureStackSecrets } from './stack-secrets.js';
import { stackFiles } from './stack-state.js';

test('a stack of an earlier version keeps its keys and receives the later ones', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'partner-secrets-'));
  try {
    writePrivateJson(stackFiles(directory).secrets, { sealingKeys: 'local:kept', cursorKey: 'kept' });
    const secrets = ensureStackSecrets(directory);
    expect(secrets).toMatchObject({ sealingKeys: 'local:kept', cursorKey: 'kept' });
    expect(secrets.sessionKeys).toMatch(/^local:.{44}$/);
    expect(ensureStackSecrets(directory)).toEqual(secrets);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
