import path from 'node:path';
import { z } from 'zod';
import { createDockerServices } from './docker-engine.js';
import { dropOwnDatabase, removeKeys } from './external-servers.js';
import { readJson, writePrivateJson } from '../private-file.js';

const externalResource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('database'), url: z.string() }),
  z.object({ kind: z.literal('redis-keys'), url: z.string(), prefix: z.string() }),
  z.object({ kind: z.literal('containers') }),
]);

export type ExternalResource = z.infer<typeof externalResource>;

function fileIn(directory: string): string {
  return path.join(directory, 'external-resources.json');
}

/** Records what a stack creates outside its directory, so that it can be removed with the stack's data. */
export function recordExternalResource(directory: string, made: ExternalResource): void {
  const known = readJson(fileIn(directory), z.array(externalResource)) ?? [];
  if (known.some((other) => JSON.stringify(other) === JSON.stringify(made))) return;
  writePrivateJson(fileIn(directory), [...known, made]);
}

/** Removes everything that the stack of the directory has created elsewhere. Rejects if a server is unreachable. */
export async function removeExternalResources(directory: string): Promise<void> {
  for (const made of readJson(fileIn(directory), z.array(externalResource)) ?? []) {
    switch (made.kind) {
      case 'database':
        await dropOwnDatabase(made.url);
        break;
      case 'redis-keys':
        await removeKeys(made.url, made.prefix);
        break;
      case 'containers':
        await createDockerServices(directory).stop({ withData: true });
        break;
    }
  }
}
