import { runJob } from '@partner/kernel/process/run-job';
import { migrateConfig } from './config.js';
import { createDatabase } from './database/database.js';
import { migrateDatabase } from './database/migrations/migrate-database.js';
import { declareRestore } from './restore/restore.js';
import { makePartitionsAhead } from './retention/run-retention.js';

/** Rows of a default partition may have to be moved and scanned. */
const STATEMENT_MS = 600_000;

/**
 * Migrates the database at `POSTGRES_URL` to the newest schema, declares a restore from a backup, if there was one, and creates the
 * partitions of the next weeks. A job: {@link runJob}.
 *
 * job-state creates missing partitions later; until then their rows go to the default partition.
 */
await runJob({
  name: 'migrate',
  config: migrateConfig,
  logLevel: (config) => config.LOG_LEVEL,
  async run(config, { logger, waitFor }) {
    const ran = await migrateDatabase({ url: config.POSTGRES_URL, waitFor });
    logger.info({ ran }, ran.length === 0 ? 'migration.nothing_to_do' : 'migration.done');
    const database = createDatabase({
      url: config.POSTGRES_URL,
      poolSize: 1,
      logger,
      statementMs: STATEMENT_MS,
    });
    if (config.RESTORED_TO !== undefined) {
      const isNew = await declareRestore(database, new Date(config.RESTORED_TO), new Date());
      logger.info({ restoredTo: config.RESTORED_TO }, isNew ? 'restore.declared' : 'restore.declared_before');
    }
    await makePartitionsAhead(database, () => new Date()).catch((error: unknown) =>
      logger.warn({ err: error }, 'migration.partitions_not_made'),
    );
    await database.end();
  },
});
