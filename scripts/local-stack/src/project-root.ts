import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROJECT_ROOT = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

export function readProjectFile(file: string): string {
  return readFileSync(path.join(PROJECT_ROOT, file), 'utf8');
}
