import { EXCHANGES, type ExchangeDefinition } from '@partner/proto-contracts/topology';
import type { Publisher } from '@partner/kernel/amqp/publisher';
import { PublishError } from '@partner/kernel/amqp/publisher';
import { invariant } from '@partner/kernel/invariant';
import type { Logger } from '@partner/kernel/logger';
import { Counter, type Registry } from 'prom-client';
import type { Database } from '../database/database.js';
import { measuredGauge } from '../database/measured-gauge.js';
import { startLoop } from '../database/start-loop.js';

const BATCH_SIZE = 200;
const FAILURE_PAUSE_MS = 1_000;

interface OutboxRow {
  readonly id: string;
  readonly message_id: string;
  readonly exchange: string;
  readonly type: string;
  readonly body: Buffer;
  readonly trace_parent: string | null;
  readonly request_id: string | null;
}

/** A relay that runs until it is stopped. */
export interface OutboxRelay {
  /** Polls for messages now instead of at the next interval. */
  readonly wake: () => void;
  /** Finishes the batch in flight and stops. */
  readonly stop: () => Promise<void>;
}

/**
 * Publishes enqueued messages, oldest first, and deletes those that the broker confirmed.
 *
 * One relay at a time claims a row (`for update skip locked`), so any number of replicas can run one. There is no ordering
 * guarantee: rows of another relay and failed rows go out later. A crash between the confirm and the delete publishes a message
 * twice, under the same message id. A message that cannot be published stays and is retried.
 */
export function startOutboxRelay(deps: {
  readonly database: Pick<Database, 'query' | 'transaction' | 'onWake'>;
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly logger: Logger;
  readonly metrics: Registry;
  /** Milliseconds between two polls when nothing wakes it. */
  readonly intervalMs: number;
  /** How long a measurement of the outbox is cached, in milliseconds; absent: 10,000. */
  readonly freshMs?: number;
}): OutboxRelay {
  const published = new Counter({
    name: 'partner_outbox_messages_total',
    help: 'Messages that the outbox relay gave to the broker, by result.',
    labelNames: ['type', 'result'] as const,
    registers: [deps.metrics],
  });
  measuredGauge({
    name: 'partner_outbox_oldest_age_seconds',
    help: 'Age of the oldest message that the broker has not confirmed; 0 when there is none.',
    metrics: deps.metrics,
    measure: () => oldestAgeSeconds(deps.database),
    ...(deps.freshMs !== undefined && { freshMs: deps.freshMs }),
  });

  const loop = startLoop({
    name: 'outbox',
    intervalMs: deps.intervalMs,
    failurePauseMs: FAILURE_PAUSE_MS,
    logger: deps.logger,
    metrics: deps.metrics,
    runOnce: async () => {
      const results = await relayBatch(deps);
      for (const { type, error } of results)
        published.inc({ type, result: error === undefined ? 'published' : 'failed' });
      const failure = results.find(({ error }) => error !== undefined);
      if (failure !== undefined) throw failure.error;
      return results.length >= BATCH_SIZE ? 'more' : 'idle';
    },
  });
  deps.database.onWake('outbox', loop.wake);
  return loop;
}

async function oldestAgeSeconds(database: Pick<Database, 'query'>): Promise<number> {
  const [oldest] = await database.query<{ age: number }>(
    'select extract(epoch from clock_timestamp() - created_at)::float8 as age from outbox order by id limit 1',
  );
  return oldest?.age ?? 0;
}

/** Publishes one batch inside the transaction that locks its rows. Confirmed rows are deleted, the others stay. */
async function relayBatch(deps: {
  readonly database: Pick<Database, 'transaction'>;
  readonly publisher: Pick<Publisher, 'publish'>;
}): Promise<readonly { readonly type: string; readonly error?: unknown }[]> {
  return deps.database.transaction(async (tx) => {
    // Each exchange has its own batch, so that a full queue behind one does not block the others.
    const rows = await tx.query<OutboxRow>(
      `select row.id, row.message_id, row.exchange, row.type, row.body, row.trace_parent, row.request_id
       from unnest($1::text[]) as name cross join lateral (
         select * from outbox where outbox.exchange = name order by id limit $2 for update skip locked
       ) as row
       order by row.id`,
      [EXCHANGES.map(({ name }) => name), BATCH_SIZE],
    );
    const results = await Promise.all(
      rows.map(async (row) => {
        const error = await publishRow(deps.publisher, row).then(
          () => undefined,
          (failure: unknown) => failure ?? new Error('not published'),
        );
        return { id: row.id, type: row.type, error };
      }),
    );
    const confirmed = results.filter(({ error }) => error === undefined).map(({ id }) => id);
    if (confirmed.length > 0) await tx.query('delete from outbox where id = any($1::bigint[])', [confirmed]);
    return results;
  });
}

async function publishRow(publisher: Pick<Publisher, 'publish'>, row: OutboxRow): Promise<void> {
  const exchange: ExchangeDefinition | undefined = EXCHANGES.find(({ name }) => name === row.exchange);
  invariant(exchange, `the exchange ${row.exchange} of an outbox message exists`);
  try {
    await publisher.publish({
      exchange,
      routingKey: row.type,
      messageId: row.message_id,
      type: row.type,
      body: row.body,
      headers: {
        ...(row.trace_parent !== null && { traceparent: row.trace_parent }),
        ...(row.request_id !== null && { 'x-request-id': row.request_id }),
      },
    });
  } catch (error) {
    // A broadcast without a receiver is complete.
    if (exchange.type === 'fanout' && error instanceof PublishError && error.kind === 'returned') return;
    throw error;
  }
}
