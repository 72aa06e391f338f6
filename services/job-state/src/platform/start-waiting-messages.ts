import { DEAD_LETTERS } from '@partner/proto-contracts/topology';
import { deathHeaders } from '@partner/kernel/amqp/death-headers';
import type { Publisher } from '@partner/kernel/amqp/publisher';
import type { Logger } from '@partner/kernel/telemetry/logger';
import type { Registry } from 'prom-client';
import type { Database } from '../database/database.js';
import { measuredGauge } from '../database/measured-gauge.js';
import { type Loop, startLoop } from '../database/start-loop.js';
import { createNoteEffect, type NoteEffect } from './note-effect.js';
import {
  CLEAR_STORED_MESSAGE,
  newRecordingBudget,
  recordWaitingMessage,
  type WaitingRow,
  IS_READY_TO_RECORD,
} from './record-platform-message.js';

/** How long a message can wait for its prerequisite: parts of the platform's messages may be hours late. */
const MAX_WAIT_HOURS = 24;
const BATCH_SIZE = 100;
/** Delay before a message is retried after a check in vain. */
const RECHECK_DELAY_MS = 60_000;
const FAILURE_PAUSE_MS = 5_000;

interface Deps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly deadLetterQueue: string;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly intervalMs: number;
}

/**
 * Processes the platform's messages that wait in the inbox.
 *
 * It records those whose prerequisite appeared without a message, and gives up on those that have waited for 24 h. These go to
 * the dead-letter queue with the reason. Their body stays in the inbox until the broker has confirmed that, so a crash
 * duplicates a message and loses none. A message that is sent again later counts as new.
 *
 * Any number of replicas can run it: a message is recorded under the locks of `recordPlatformMessages`, and one replica gives it
 * up.
 */
export function startWaitingMessages(deps: Deps): Loop {
  const note = createNoteEffect(deps);
  measuredGauge({
    name: 'partner_platform_waiting_messages',
    help: 'Platform messages that wait for their prerequisite, up to 10,000.',
    metrics: deps.metrics,
    measure: () => waitingCount(deps.database),
  });
  measuredGauge({
    name: 'partner_platform_waiting_oldest_age_seconds',
    help: 'Age of the oldest waiting platform message; 0 if none waits.',
    metrics: deps.metrics,
    measure: () => oldestAgeSeconds(deps),
  });

  return startLoop({
    name: 'platform-waiting',
    intervalMs: deps.intervalMs,
    failurePauseMs: FAILURE_PAUSE_MS,
    logger: deps.logger,
    metrics: deps.metrics,
    runOnce: async () => {
      const appeared = await recordAppeared(deps, note);
      const expired = await expire(deps);
      const dead = await deadLetter(deps);
      return [appeared, expired, dead].some((count) => count >= BATCH_SIZE) ? 'more' : 'idle';
    },
  });
}

async function waitingCount(database: Pick<Database, 'query'>): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    'select count(*)::integer as count from (select 1 from inbox where prerequisite_id is not null limit 10000) as waiting',
  );
  return row?.count ?? 0;
}

async function oldestAgeSeconds({ database, clock }: Pick<Deps, 'database' | 'clock'>): Promise<number> {
  const [row] = await database.query<{ since: Date | null }>(
    'select min(received_at) as since from inbox where prerequisite_id is not null',
  );
  const since = row?.since ?? undefined;
  return since === undefined ? 0 : Math.max(0, clock().getTime() - since.getTime()) / 1_000;
}

/**
 * Records messages whose prerequisite exists, and returns how many it has checked.
 *
 * A failing message does not stop the others. Those checked longest ago come first, so that no message waits behind ones that
 * fail repeatedly.
 */
async function recordAppeared(deps: Deps, note: NoteEffect): Promise<number> {
  const { database, logger, clock } = deps;
  const now = clock();
  const rows = await database.query<WaitingRow>(
    `select message_id, type, body, trace_parent from inbox
     where prerequisite_id is not null and (last_attempt_at is null or last_attempt_at <= $2) and ${IS_READY_TO_RECORD}
     order by last_attempt_at nulls first, received_at limit $1`,
    [BATCH_SIZE, new Date(now.getTime() - RECHECK_DELAY_MS)],
  );
  const budget = newRecordingBudget();
  for (const row of rows) {
    const { message_id: messageId, type } = row;
    try {
      const recorded = await recordWaitingMessage(deps, row, budget);
      if (recorded === undefined) continue;
      note(messageId, type, recorded.effect);
      for (const later of recorded.after) note(later.messageId, later.type, later.effect);
    } catch (error) {
      logger.error({ err: error, messageId, type }, 'platform.waiting_message_failed');
      await database.query(
        'update inbox set last_attempt_at = $2 where message_id = $1 and prerequisite_id is not null',
        [messageId, now],
      );
    }
  }
  return rows.length;
}

/** Gives up on messages that have waited too long, and returns their number. */
async function expire({ database, clock }: Deps): Promise<number> {
  const expired = await database.query(
    `update inbox set prerequisite_id = null, last_attempt_at = null, dead_reason = case
       when starts_with(prerequisite_id, 'mem_') then 'the email address of membership ' || resource_id || ' was in use for ' || $2
       else 'there was no ' || prerequisite_id || ' within ' || $2 end
     where message_id in
       (select message_id from inbox where prerequisite_id is not null and received_at <= $1
        order by received_at limit $3 for update skip locked)
     returning message_id`,
    [new Date(clock().getTime() - MAX_WAIT_HOURS * 3_600_000), `${MAX_WAIT_HOURS} h`, BATCH_SIZE],
  );
  return expired.length;
}

/** Publishes dead messages inside the transaction that locks their rows. Confirmed ones are cleared. */
async function deadLetter({ database, publisher, deadLetterQueue, logger, clock }: Deps): Promise<number> {
  const { confirmed, failure } = await database.transaction(async (tx) => {
    const rows = await tx.query<WaitingRow & { readonly dead_reason: string }>(
      `select message_id, type, body, trace_parent, dead_reason from inbox where dead_reason is not null
       order by received_at limit $1 for update skip locked`,
      [BATCH_SIZE],
    );
    const results = await Promise.allSettled(
      rows.map(async ({ message_id: messageId, type, body, trace_parent, dead_reason: reason }) => {
        await publisher.publish({
          exchange: DEAD_LETTERS,
          routingKey: deadLetterQueue,
          messageId,
          type,
          body,
          headers: {
            ...(trace_parent === null ? {} : { traceparent: trace_parent }),
            ...deathHeaders(reason, clock()),
          },
        });
        logger.error({ messageId, type, reason }, 'message.dead_lettered');
        return messageId;
      }),
    );
    const confirmed = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    if (confirmed.length > 0) {
      await tx.query(`update inbox set ${CLEAR_STORED_MESSAGE} where message_id = any($1::text[])`, [
        confirmed,
      ]);
    }
    return { confirmed: confirmed.length, failure: results.find((result) => result.status === 'rejected') };
  });
  if (failure !== undefined) throw failure.reason;
  return confirmed;
}
