import { EXCHANGES, type ExchangeDefinition } from '@partner/proto-contracts/topology';
import { PublishError, type Publisher } from '@partner/kernel/amqp/publisher';
import { invariant } from '@partner/kernel/process/invariant';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { Counter, type Registry } from 'prom-client';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Database } from '../database/database.js';
import { measuredGauge } from '../database/measured-gauge.js';
import { startLoop } from '../database/start-loop.js';
import { committedMessages, type OutboxMessage } from './enqueue-message.js';

const SWEEP_SIZE = 200;
const DELETE_SIZE = 1_000;
/** Beyond this number of unconfirmed messages in memory, messages wait in the table for the sweep. */
const MAX_IN_MEMORY = 2_000;
/** Age from which a message counts as left behind: longer than the publisher waits for a confirm. */
const LEFT_BEHIND_MS = 6_000;
/** Confirmed messages are deleted together at most this often. */
const DELETE_REST_MS = 50;
const FAILURE_PAUSE_MS = 1_000;

export interface OutboxRelay {
  /** Waits for the messages in flight, deletes the confirmed ones and stops. */
  readonly stop: () => Promise<void>;
}

interface Relayed {
  readonly id: string;
  readonly type: string;
  /** Absent: confirmed. */
  readonly error?: unknown;
}

type RelayDeps = {
  readonly database: Pick<Database, 'query' | 'transaction' | 'hooks'>;
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly intervalMs: number;
};

/**
 * Publishes each enqueued message once its transaction is committed, from memory, and deletes confirmed ones in batches.
 *
 * A sweep publishes leftover messages: those of a crashed process, and those that the broker did not confirm. One
 * sweep at a time claims a row (`for update skip locked`), so any number of replicas can run one.
 *
 * At least once, under the same message id: a message that is published twice was confirmed late, or before a crash. There is
 * no ordering guarantee between messages of different transactions. A message that cannot be published stays and is retried.
 */
export function startOutboxRelay(deps: RelayDeps): OutboxRelay {
  const published = new Counter({
    name: 'partner_outbox_messages_total',
    help: 'Messages that the outbox relay published, by result.',
    labelNames: ['type', 'result'] as const,
    registers: [deps.metrics],
  });
  measuredGauge({
    name: 'partner_outbox_oldest_age_seconds',
    help: 'Age of the oldest unconfirmed message; 0 without one.',
    metrics: deps.metrics,
    measure: () => oldestAgeSeconds(deps.database),
  });
  const inFlight = new Map<string, Promise<void>>();
  let confirmed: string[] = [];
  let sweptAt = Number.NEGATIVE_INFINITY;

  function count({ type, error }: Relayed): void {
    published.inc({ type, result: error === undefined ? 'published' : 'failed' });
  }

  async function publishCommitted(message: OutboxMessage): Promise<void> {
    const relayed = await publishMessage(deps.publisher, message);
    count(relayed);
    inFlight.delete(message.id);
    if (relayed.error !== undefined) return;
    confirmed.push(message.id);
    loop.wakeLater();
  }

  async function deleteConfirmed(): Promise<void> {
    const ids = confirmed.slice(0, DELETE_SIZE);
    if (ids.length === 0) return;
    await deps.database.transaction((tx) => {
      // If the server crashes before it has written this to disk, the messages are published again.
      void tx.query('set local synchronous_commit = off');
      void tx.query(DELETE_CONFIRMED, [ids]);
      return Promise.resolve();
    });
    confirmed = confirmed.slice(ids.length);
  }

  async function sweep(): Promise<'more' | 'idle'> {
    const known = [...inFlight.keys(), ...confirmed];
    const results = await sweepBatch(deps, known);
    for (const result of results) count(result);
    const failure = results.find(({ error }) => error !== undefined);
    if (failure !== undefined) throw failure.error;
    if (results.length >= SWEEP_SIZE) return 'more';
    sweptAt = performance.now();
    return 'idle';
  }

  const loop = startLoop({
    name: 'outbox',
    intervalMs: deps.intervalMs,
    failurePauseMs: FAILURE_PAUSE_MS,
    restMs: DELETE_REST_MS,
    logger: deps.logger,
    metrics: deps.metrics,
    runOnce: async () => {
      await deleteConfirmed();
      const isDue = performance.now() - sweptAt >= deps.intervalMs;
      const next = isDue ? await sweep() : 'idle';
      return confirmed.length >= DELETE_SIZE ? 'more' : next;
    },
  });
  committedMessages.listen(deps.database, (messages) => {
    for (const message of messages) {
      if (inFlight.size < MAX_IN_MEMORY) inFlight.set(message.id, publishCommitted(message));
    }
  });
  return {
    async stop() {
      await Promise.all(inFlight.values());
      await loop.stop();
      try {
        while (confirmed.length > 0) await deleteConfirmed();
      } catch (error) {
        // They are published once more.
        deps.logger.warn({ err: error, messages: confirmed.length }, 'outbox.confirmed_not_deleted');
      }
    },
  };
}

const DELETE_CONFIRMED: PreparedStatement = {
  name: 'delete-confirmed-messages',
  text: 'delete from outbox where id = any($1::bigint[])',
};

// Each exchange has its own batch, so that a full queue behind one does not block the others.
const LEFT_BEHIND: PreparedStatement = {
  name: 'messages-left-behind',
  text: `select row.id, row.message_id as "messageId", row.exchange, row.type, row.body, row.trace_parent as "traceParent",
      row.request_id as "requestId"
    from unnest($1::text[]) as name cross join lateral (
      select * from outbox
      where outbox.exchange = name and created_at < now() - make_interval(secs => $2) and id <> all($3::bigint[])
      order by id limit $4 for update skip locked
    ) as row
    order by row.id`,
};

async function oldestAgeSeconds(database: Pick<Database, 'query'>): Promise<number> {
  const [oldest] = await database.query<{ age: number }>(
    'select extract(epoch from clock_timestamp() - created_at)::float8 as age from outbox order by id limit 1',
  );
  return oldest?.age ?? 0;
}

/** Publishes one batch inside the transaction that locks its rows. Confirmed rows are deleted, the others stay. */
async function sweepBatch(
  deps: Pick<RelayDeps, 'database' | 'publisher'>,
  known: readonly string[],
): Promise<readonly Relayed[]> {
  return deps.database.transaction(async (tx) => {
    const messages = await tx.query<OutboxMessage>(LEFT_BEHIND, [
      EXCHANGES.map(({ name }) => name),
      LEFT_BEHIND_MS / 1_000,
      known,
      SWEEP_SIZE,
    ]);
    const results = await Promise.all(messages.map((message) => publishMessage(deps.publisher, message)));
    const ids = results.filter(({ error }) => error === undefined).map(({ id }) => id);
    if (ids.length > 0) void tx.query(DELETE_CONFIRMED, [ids]);
    return results;
  });
}

/** Publishes a message; a failure is part of the result. */
async function publishMessage(
  publisher: Pick<Publisher, 'publish'>,
  { id, messageId, exchange: name, type, body, traceParent, requestId }: OutboxMessage,
): Promise<Relayed> {
  const exchange: ExchangeDefinition | undefined = EXCHANGES.find((each) => each.name === name);
  invariant(exchange, `the exchange ${name} of an outbox message exists`);
  try {
    await publisher.publish({
      exchange,
      routingKey: type,
      messageId,
      type,
      body,
      headers: {
        ...(traceParent !== null && { traceparent: traceParent }),
        ...(requestId !== null && { 'x-request-id': requestId }),
      },
    });
  } catch (error) {
    // A broadcast without a receiver is complete.
    if (!(exchange.type === 'fanout' && error instanceof PublishError && error.kind === 'returned')) {
      return { id, type, error: error ?? new Error('not published') };
    }
  }
  return { id, type };
}
