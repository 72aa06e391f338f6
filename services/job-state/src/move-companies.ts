import { parseArgs } from 'node:util';
import { parseConfig } from '@partner/kernel/config';
import { createLogger } from '@partner/kernel/logger';
import { moveConfig } from './config.js';
import { describeFailure } from './moves/check-move.js';
import { abandonMove, moveCompanies } from './moves/move-companies.js';

/**
 * Moves the companies with the given ids from the database at `POSTGRES_URL` to the one at `TARGET_POSTGRES_URL`; with `--abandon` it ends
 * an interrupted move instead.
 *
 * Exits with 0, or with 1 and one error message.
 */
try {
  const { values, positionals } = parseArgs({
    options: { abandon: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const config = parseConfig(moveConfig, process.env);
  if (positionals.length === 0)
    throw new Error('name the companies to move: dist/move-companies.js cmp_01j… cmp_01k…');
  const move = values.abandon ? abandonMove : moveCompanies;
  await move(
    {
      sourceUrl: config.POSTGRES_URL,
      targetUrl: config.TARGET_POSTGRES_URL,
      operator: config.OPERATOR,
      logger: createLogger({ service: 'job-state-move', level: config.LOG_LEVEL }),
    },
    positionals,
  );
  process.exit(0);
} catch (error) {
  process.stderr.write(`move-companies: ${describeFailure(error)}\n`);
  process.exit(1);
}
