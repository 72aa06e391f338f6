import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readJson, writePrivateJson } from '../private-file.js';
import { stackFiles } from './stack-state.js';

const stackSecrets = z.object({ sealingKeys: z.string(), cursorKey: z.string(), sessionKeys: z.string() });

/** Returns the keys of a stack. Each is created only once, since data that it has sealed and signed are stored. */
export function ensureStackSecrets(directory: string): z.infer<typeof stackSecrets> {
  const { secrets: file } = stackFiles(directory);
  const secrets = stackSecrets.parse({
    sealingKeys: `local:${randomBytes(32).toString('base64')}`,
    cursorKey: randomBytes(32).toString('base64'),
    sessionKeys: `local:${randomBytes(32).toString('base64')}`,
    // A stack of an earlier version lacks the later keys.
    ...readJson(file, stackSecrets.partial()),
  });
  writePrivateJson(file, secrets);
  return secrets;
}
