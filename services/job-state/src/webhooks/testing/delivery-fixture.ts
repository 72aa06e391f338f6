import { beforeAll } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { textOf } from '../../testing/statement-text.js';
import type { CallerLimits, Database, TransactionLimits } from '../../database/database.js';
import { beforeStatement } from '../../testing/before-statement.js';
import { connectDeliveries } from '../../testing/public-deliveries.js';
import { fixture } from '../../testing/file-webhooks.js';

export { fixture };

export const logLines: unknown[][] = [];
export const logger = {
  info: (...line: unknown[]) => void logLines.push(line),
  warn: (...line: unknown[]) => void logLines.push(line),
};
/** Queries of the operations with their limits. A test clears them before it counts. */
export const seen: { statements: string[]; limits: (CallerLimits & TransactionLimits)[] } = {
  statements: [],
  limits: [],
};

function watched(database: Database): Pick<Database, 'query' | 'transaction'> {
  return {
    query: (text, values, limits) => {
      seen.statements.push(textOf(text));
      seen.limits.push(limits ?? {});
      return database.query(text, values, limits);
    },
    transaction: (work, limits) => {
      seen.limits.push(limits ?? {});
      const counted = beforeStatement(database, (text) => void seen.statements.push(text));
      return counted.transaction(work, limits);
    },
  };
}

export let client: ReturnType<typeof connectDeliveries>;

beforeAll(async () => {
  client = connectDeliveries({ database: watched(fixture.database), logger });
});

export async function attemptOf(deliveryId: string, exchange: object | null = null, startedAt = new Date()) {
  const id = newId('dlv');
  await fixture.database.query(
    `insert into delivery_attempts
       (delivery_id, id, number, started_at, duration_ms, outcome, response_status, response_body, secret_version, exchange)
     values ($1, $2, 1, $3, 12, 'rejected', 500, '\\x6b657074ff', 1, $4)`,
    [deliveryId, id, startedAt, exchange === null ? null : JSON.stringify(exchange)],
  );
  return id;
}
