import { readdirSync } from 'node:fs';
import type { Knex } from 'knex';
import { z } from 'zod';

/** One step of the schema. Expand and contract: the previous version of the service runs during the migration. */
export interface Migration {
  readonly name: string;
  readonly up: (knex: Knex) => Promise<void>;
}

const module = z.object({ up: z.custom<Migration['up']>((up) => typeof up === 'function') });

const folder = new URL('.', import.meta.url);

/**
 * Every migration in order: the numbered files of this folder. A released name never changes. Those of one release are few, each
 * with its own locks.
 */
export const MIGRATIONS: readonly Migration[] = await Promise.all(
  readdirSync(folder)
    .filter((file) => /^\d{4}-.*\.js$/.test(file))
    .sort()
    .map(async (file) => {
      const { up } = module.parse(await import(new URL(file, folder).href));
      return { name: file.replace(/\.js$/, ''), up };
    }),
);
