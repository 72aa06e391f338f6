import { parseArgs } from 'node:util';
import { runJob } from '@partner/kernel/run-job';
import { moveConfig } from './config.js';
import { describeFailure } from './moves/check-move.js';
import { abandonMove, moveCompanies } from './moves/move-companies.js';
import { waitForDatabases } from './moves/move-connections.js';

/**
 * Moves the companies with the given ids from the database at `POSTGRES_URL` to the one at `TARGET_POSTGRES_URL`; with `--abandon` it ends
 * an interrupted move instead. A job: {@link runJob}.
 */
await runJob({
  name: 'move-companies',
  config: moveConfig,
  logLevel: (config) => config.LOG_LEVEL,
  describe: describeFailure,
  async run(config, { logger, waitFor }) {
    const { values, positionals } = parseArgs({
      options: { abandon: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    if (positionals.length === 0)
      throw new Error('name the companies to move: dist/move-companies.js cmp_01j… cmp_01k…');
    const urls = { sourceUrl: config.POSTGRES_URL, targetUrl: config.TARGET_POSTGRES_URL };
    await waitForDatabases(urls, waitFor);
    const move = values.abandon ? abandonMove : moveCompanies;
    await move({ ...urls, operator: config.OPERATOR, logger }, positionals);
  },
});
