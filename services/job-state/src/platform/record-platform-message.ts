import { assertNever } from '@partner/kernel/invariant';
import type { Logger } from '@partner/kernel/logger';
import { injectTrace } from '@partner/kernel/telemetry/tracing';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Database, Transaction } from '../database/database.js';
import type { PlatformEffect } from './platform-effect.js';
import type { WholeMessage } from './platform-message-type.js';
import { readPlatformMessage } from './platform-messages.js';

/** Maximum number of waiting messages that one round records, with all that waited for them in budget. */
const BUDGET = 1_000;

/** A message as it was sent. */
export interface SentMessage {
  readonly messageId: string;
  readonly type: string;
  readonly body: Uint8Array;
}

/** Effect of a message that had waited. */
export interface AppliedLater {
  readonly messageId: string;
  readonly type: string;
  readonly effect: PlatformEffect;
}

/** Effect of a message, and of the messages that had waited for it. */
export interface Recorded {
  readonly effect: PlatformEffect | { readonly kind: 'repeated' };
  readonly after: readonly AppliedLater[];
}

/** Dependencies of recording. */
export interface RecordingDeps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Logger;
}

/** Budget of waiting messages that may be recorded before others are served. */
export interface RecordingBudget {
  left: number;
}

export function newRecordingBudget(): RecordingBudget {
  return { left: BUDGET };
}

interface WaitingRow {
  readonly message_id: string;
  readonly type: string;
  readonly body: Buffer;
}

/** Clears an inbox row once its message is no longer kept. */
export const CLEAR_STORED_MESSAGE = `prerequisite_id = null, last_attempt_at = null, dead_reason = null, resource_id = null, resource_version = null,
  type = null, body = null, trace_parent = null`;

/**
 * Whether a waiting inbox row should be retried.
 *
 * Its prerequisite exists or may have given up the requested email address, or a newer version of its resource is recorded,
 * which supersedes it.
 */
export const IS_READY_TO_RECORD = `(
  exists (select from companies where id = prerequisite_id) or exists (select from projects where id = prerequisite_id)
  or exists (select from jobs where id = prerequisite_id) or exists (select from leads where id = prerequisite_id)
  or starts_with(prerequisite_id, 'mem_')
  or exists (select from companies where id = resource_id and version >= resource_version)
  or exists (select from memberships where id = resource_id and version >= resource_version)
)`;

/**
 * Records a message once per message id: its inbox row and its effect are in one transaction.
 *
 * An early message is stored in its inbox row. A refused one leaves its row unsettled, so that it can be sent again.
 *
 * After the commit it records messages that waited for the new state or are superseded by it, each in its own transaction. An
 * early message checks again for its prerequisite after its own commit: whichever of the two commits second sees the other.
 * `startWaitingMessages` handles failures, crashes and messages beyond the budget.
 *
 * Locks: the messages about the resource, the inbox row, then those of the message's effect. No transaction locks the messages
 * about two resources.
 */
export async function recordPlatformMessage(
  deps: RecordingDeps,
  sent: SentMessage,
  message: WholeMessage,
): Promise<Recorded> {
  const now = deps.clock();
  const effect = await deps.database.transaction((tx) => recordOnce(tx, sent, message, now));
  return { effect, after: await recordDependents(deps, sent.messageId, effect, newRecordingBudget()) };
}

/**
 * Records a waiting message as {@link recordPlatformMessage} does, after its prerequisite has appeared.
 *
 * A refused one is marked dead. Returns undefined if the message no longer waits. The messages that waited for it count against
 * the budget.
 */
export async function recordWaitingMessage(
  deps: RecordingDeps,
  sent: SentMessage,
  budget: RecordingBudget,
): Promise<(Recorded & { readonly effect: PlatformEffect }) | undefined> {
  const now = deps.clock();
  const recorded = await deps.database.transaction((tx) => recordWaiting(tx, sent, now));
  return (
    recorded && {
      effect: recorded.effect,
      after: await recordDependents(deps, sent.messageId, recorded.effect, budget, recorded.waitedFor),
    }
  );
}

const LOCK_RESOURCE: PreparedStatement = {
  name: 'lock-platform-resource',
  text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
};

// The snapshot of this statement is taken after the lock was granted, since it is a statement of its own.
const CLAIM_MESSAGE: PreparedStatement = {
  name: 'claim-platform-message',
  text: `insert into inbox as known (message_id, received_at, settled_at) values ($1, $2, $2)
     on conflict (message_id) do update set settled_at = excluded.settled_at,
       received_at = case when known.prerequisite_id is null then excluded.received_at else known.received_at end,
       ${CLEAR_STORED_MESSAGE}
     where known.settled_at is null
     returning message_id`,
};

async function recordOnce(
  tx: Transaction,
  sent: SentMessage,
  message: WholeMessage,
  now: Date,
): Promise<Recorded['effect']> {
  lockMessagesAbout(tx, message.resourceId);
  const claimed = await tx.query(CLAIM_MESSAGE, [sent.messageId, now]);
  if (claimed.length === 0) return { kind: 'repeated' };
  const effect = await message.record(tx, now);
  if (effect.kind === 'early') {
    tx.send(
      `update inbox set settled_at = null, prerequisite_id = $2, resource_id = $3, resource_version = $4, type = $5, body = $6,
         trace_parent = $7
       where message_id = $1`,
      [
        sent.messageId,
        effect.missing,
        message.resourceId,
        message.version,
        sent.type,
        Buffer.from(sent.body),
        injectTrace()['traceparent'] ?? null,
      ],
    );
  }
  if (effect.kind === 'refused') {
    tx.send('update inbox set settled_at = null where message_id = $1', [sent.messageId]);
  }
  return effect;
}

async function recordWaiting(
  tx: Transaction,
  sent: SentMessage,
  now: Date,
): Promise<{ readonly effect: PlatformEffect; readonly waitedFor: string } | undefined> {
  const read = readPlatformMessage(sent.type, sent.body, now);
  if (read.kind === 'whole') lockMessagesAbout(tx, read.message.resourceId);
  const [waiting] = await tx.query<{ prerequisite_id: string }>(
    'select prerequisite_id from inbox where message_id = $1 and prerequisite_id is not null for update',
    [sent.messageId],
  );
  if (waiting === undefined) return undefined;
  const effect: PlatformEffect =
    read.kind === 'malformed' ? { kind: 'refused', reason: read.reason } : await read.message.record(tx, now);
  await settleWaiting(tx, sent.messageId, effect, now);
  return { effect, waitedFor: waiting.prerequisite_id };
}

function lockMessagesAbout(tx: Transaction, resourceId: string): void {
  tx.send(LOCK_RESOURCE, [`platform ${resourceId}`]);
}

/**
 * Records the messages that wait for a changed resource, superseded ones about it, and the message itself if its prerequisite
 * has appeared.
 *
 * The newest version of a state goes first: it takes effect, and older ones mostly do not, so that few outdated events are
 * emitted. Facts go in the order of their versions, as they happened.
 */
async function recordDependents(
  deps: RecordingDeps,
  messageId: string,
  effect: Recorded['effect'],
  budget: RecordingBudget,
  waitedFor?: string,
): Promise<readonly AppliedLater[]> {
  // A message that is still early although its prerequisite exists would wait in circles.
  if (effect.kind === 'early' && effect.missing === waitedFor) return [];
  const there = 'appeared' in effect ? (effect.appeared ?? []) : [];
  if ((there.length === 0 && effect.kind !== 'early') || budget.left === 0) return [];
  const applied: AppliedLater[] = [];
  try {
    const now = deps.clock();
    const rows = await deps.database.query<WaitingRow>(
      `select message_id, type, body from inbox
       where prerequisite_id is not null
         and (message_id = $3 or prerequisite_id = any($1::text[]) or resource_id = any($1::text[])) and ${IS_READY_TO_RECORD}
       order by received_at, message_id limit $2`,
      [there, budget.left, messageId],
    );
    const inOrder = rows
      .map((row) => ({ row, read: readPlatformMessage(row.type, row.body, now) }))
      .sort((a, b) => orderOf(a.read) - orderOf(b.read));
    for (const { row } of inOrder) {
      if (budget.left === 0) break;
      budget.left -= 1;
      const sent = { messageId: row.message_id, type: row.type, body: row.body };
      const recorded = await recordWaitingMessage(deps, sent, budget);
      if (recorded === undefined) continue;
      applied.push(
        { messageId: sent.messageId, type: sent.type, effect: recorded.effect },
        ...recorded.after,
      );
    }
  } catch (error) {
    deps.logger.warn({ err: error, messageId, waitedFor: there }, 'platform.waiting_messages_deferred');
  }
  return applied;
}

function orderOf(read: ReturnType<typeof readPlatformMessage>): number {
  if (read.kind === 'malformed') return 0;
  const { version, isFact } = read.message;
  return isFact ? version : -version;
}

async function settleWaiting(
  tx: Transaction,
  messageId: string,
  effect: PlatformEffect,
  now: Date,
): Promise<void> {
  switch (effect.kind) {
    case 'applied':
    case 'ignored':
      await tx.query(`update inbox set settled_at = $2, ${CLEAR_STORED_MESSAGE} where message_id = $1`, [
        messageId,
        now,
      ]);
      return;
    case 'early':
      await tx.query(
        'update inbox set prerequisite_id = $2, last_attempt_at = case when prerequisite_id = $2 then $3::timestamptz end where message_id = $1',
        [messageId, effect.missing, now],
      );
      return;
    case 'refused':
      await tx.query(
        'update inbox set prerequisite_id = null, last_attempt_at = null, dead_reason = $2 where message_id = $1',
        [messageId, effect.reason],
      );
      return;
    default:
      assertNever(effect);
  }
}
