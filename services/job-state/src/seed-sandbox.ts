import { parseConfig } from '@partner/kernel/config';
import { createLogger } from '@partner/kernel/logger';
import { seedConfig } from './config.js';
import { createDatabase } from './database/database.js';
import { seedSandboxData } from './sandbox/seed-sandbox-data.js';

/**
 * Seeds the database at `POSTGRES_URL` with the sandbox and prints its companies as JSON. Idempotent.
 *
 * Exits with 0, or with 1 and one error message. Always fails in production.
 */
try {
  const config = parseConfig(seedConfig, process.env);
  const logger = createLogger({ service: 'job-state-seed', level: 'silent' });
  const database = createDatabase({ url: config.POSTGRES_URL, poolSize: 1, logger });
  const companies = await seedSandboxData(database);
  await database.end();
  process.stdout.write(`${JSON.stringify(companies, undefined, 2)}\n`);
} catch (error) {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  process.stderr.write(`seed-sandbox: ${error instanceof Error ? error.message : String(error)}${cause}\n`);
  process.exitCode = 1;
}
