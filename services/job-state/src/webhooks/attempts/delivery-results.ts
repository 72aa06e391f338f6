import { DeliveriesAttemptedSchema } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import type { ConsumeOutcome, IncomingMessage } from '@partner/kernel/amqp/consumer';
import { batchWhileBusy } from '@partner/kernel/process/batch-while-busy';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { Registry } from 'prom-client';
import type { Database } from '../../database/database.js';
import { type AttemptResult, decodeDeliveriesAttempted } from './decode-deliveries-attempted.js';
import { createAttemptMetrics } from './attempt-metrics.js';
import { recordAttempts } from './record-attempts.js';

/** Bounds the size of a transaction. The consumer's prefetch bounds the concurrent results first. */
const BATCH_SIZE = 200;

export interface DeliveryResultsDeps {
  readonly database: Pick<Database, 'transaction'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly metrics: Registry;
  /** `WEBHOOK_RETRY_BASE_MS`: the backoff after the first failed attempt. */
  readonly retryBaseMs: number;
  /** From 0, less than 1. */
  readonly random: () => number;
}

/**
 * Creates the handler of the results queue.
 *
 * It resolves after the commit, so a result is acknowledged only once it is recorded. Results that arrive meanwhile share the
 * next transaction. It throws `unavailable` while the database is down; recording again is idempotent. A result that the
 * database rejects fails alone. A message with a malformed result is dead-lettered after its valid results are recorded.
 */
export function createDeliveryResultsHandler(
  deps: DeliveryResultsDeps,
): (message: IncomingMessage) => Promise<ConsumeOutcome> {
  const settings = {
    database: deps.database,
    logger: deps.logger,
    metrics: createAttemptMetrics(deps.metrics),
    retry: { baseMs: deps.retryBaseMs, random: deps.random },
  };
  const record = batchWhileBusy<AttemptResult>({
    maxItems: BATCH_SIZE,
    async run(results) {
      await recordAttempts(settings, results);
      return results.map(() => undefined);
    },
    isOfAll: (cause) => cause instanceof ServiceError && cause.reason === 'unavailable',
  });

  return async (message) => {
    if (message.type !== DeliveriesAttemptedSchema.typeName) {
      return { kind: 'dead', reason: `unexpected type ${message.type}` };
    }
    const { results, malformed } = decodeDeliveriesAttempted(message.body);
    await Promise.all(results.map(record));
    return malformed === undefined ? { kind: 'done' } : { kind: 'dead', reason: malformed };
  };
}
