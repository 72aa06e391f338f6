import { mkdir, open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import type { Store } from './store.js';

/**
 * A store in a directory, with a file for each key: for one process. A value is replaced as a whole, also in a crash. Nothing is
 * removed; files older than the retention of events can be.
 */
export function createFileStore(directory: string): Store {
  let writes = 0;
  const fileOf = (key: string) => path.join(directory, encodeURIComponent(key));
  return {
    async get(key) {
      try {
        return await readFile(fileOf(key), 'utf8');
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async set(key, value) {
      await mkdir(directory, { recursive: true });
      writes += 1;
      const next = `${fileOf(key)}.${process.pid}-${writes}.tmp`;
      const file = await open(next, 'w', 0o600);
      try {
        await file.writeFile(value);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(next, fileOf(key));
    },
  };
}

function isMissing(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';
}
