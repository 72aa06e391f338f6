import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readJson, writePrivateJson } from '../private-file.js';
import { stackFiles } from './stack-state.js';

const stackSecrets = z.object({ sealingKeys: z.string(), cursorKey: z.string() });

/** The keys of a stack: made once, since what they have sealed and signed is kept. */
export function ensureStackSecrets(directory: string): z.infer<typeof stackSecrets> {
  const { secrets: file } = stackFiles(directory);
  const kept = readJson(file, stackSecrets);
  if (kept !== undefined) return kept;
  const made = {
    sealingKeys: `local:${randomBytes(32).toString('base64')}`,
    cursorKey: randomBytes(32).toString('base64'),
  };
  writePrivateJson(file, made);
  return made;
}
