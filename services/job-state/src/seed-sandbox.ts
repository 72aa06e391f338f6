import { runJob } from '@partner/kernel/process/run-job';
import { hostsOf } from '@partner/kernel/process/wait-for';
import { seedConfig } from './config.js';
import { createDatabase } from './database/database.js';
import { requireSchema } from './database/migrations/require-schema.js';
import { seedSandboxData } from './sandbox/seed-sandbox-data.js';

/**
 * Seeds the database at `POSTGRES_URL` with the sandbox and prints its companies as JSON. Idempotent. A job: {@link runJob}. Waits for the
 * schema too.
 *
 * Always fails in production.
 */
await runJob({
  name: 'seed-sandbox',
  config: seedConfig,
  logLevel: () => 'info',
  async run(config, { logger, waitFor }) {
    const database = createDatabase({
      url: config.POSTGRES_URL,
      poolSize: 1,
      logger,
      idleInTransactionMs: 0,
    });
    await waitFor(`the schema in Postgres at ${hostsOf(config.POSTGRES_URL)}`, () => requireSchema(database));
    const companies = await seedSandboxData(database);
    await database.end();
    process.stdout.write(`${JSON.stringify(companies, undefined, 2)}\n`);
  },
});
