import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { attemptOnce } from '@partner/kernel/testing/attempt-once';
import { dumpSchema } from './dump-schema.js';
import { migrateDatabase } from '../database/migrations/migrate-database.js';
import { createBareDatabase } from './test-database.js';

/**
 * Compares `schema.sql` with the result of the migrations on an empty database of the server `TEST_POSTGRES_URL`.
 *
 * With `--write` it rewrites the file. Exits with 0 if they agree, else with 1 and the first difference.
 */
const file = fileURLToPath(new URL('../../schema.sql', import.meta.url));

async function migratedSchema(): Promise<string> {
  const bare = await createBareDatabase();
  try {
    await migrateDatabase({ url: bare.url, waitFor: attemptOnce });
    return dumpSchema(bare.url);
  } finally {
    await bare.drop();
  }
}

function firstDifference(committed: string, migrated: string): string {
  const ours = committed.split('\n');
  const theirs = migrated.split('\n');
  const line = theirs.findIndex((text, index) => text !== ours[index]);
  const at = line === -1 ? theirs.length : line;
  return `line ${at + 1}\n  schema.sql: ${ours[at] ?? '(end)'}\n  migrations: ${theirs[at] ?? '(end)'}`;
}

try {
  const migrated = await migratedSchema();
  if (process.argv.includes('--write')) {
    writeFileSync(file, migrated);
    process.stdout.write('schema.sql is written\n');
  } else {
    const committed = readFileSync(file, 'utf8');
    if (committed !== migrated) {
      throw new Error(
        `schema.sql differs from the result of the migrations: ${firstDifference(committed, migrated)}\n` +
          'run: npm run schema --workspace services/job-state',
      );
    }
    process.stdout.write('schema.sql agrees with the migrations\n');
  }
} catch (error) {
  process.stderr.write(`check-schema: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
