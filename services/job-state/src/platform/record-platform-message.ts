import { assertNever } from '@partner/kernel/process/invariant';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { extractTrace, injectTrace, withSpan } from '@partner/kernel/telemetry/tracing';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Database, Transaction } from '../database/database.js';
import { isTaken } from '../database/server-failures.js';
import { retryTakenAddress } from '../leads/create-lead.js';
import type { PlatformEffect, WholeMessage } from './message-type/platform-message-type.js';
import { readPlatformMessage } from './platform-messages.js';

/** Maximum number of waiting messages that one round records, with all that waited for them in budget. */
const BUDGET = 1_000;
/** Maximum wait for a lock, in ms. Messages that share a transaction wait with it, and hold the locks of their resources. */
const LOCK_WAIT_MS = 2_000;

export interface SentMessage {
  readonly messageId: string;
  readonly type: string;
  readonly body: Uint8Array;
}

export interface AppliedLater {
  readonly messageId: string;
  readonly type: string;
  readonly effect: PlatformEffect;
}

export interface MessageToRecord {
  readonly sent: SentMessage;
  readonly message: WholeMessage;
  /** Runs work on behalf of the message's request and in its trace. */
  readonly run: <T>(work: () => T) => T;
}

export type ArrivedEffect = PlatformEffect | { readonly kind: 'repeated' };

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

export interface WaitingRow {
  readonly message_id: string;
  readonly type: string;
  readonly body: Buffer;
  readonly trace_parent: string | null;
}

/** Clears an inbox row once its message is no longer kept. */
export const CLEAR_STORED_MESSAGE = `prerequisite_id = null, last_attempt_at = null, dead_reason = null, resource_id = null, resource_version = null,
  type = null, body = null, trace_parent = null`;

/** Whether a waiting inbox row should be retried: its prerequisite exists, or may have given up the requested email address. */
export const IS_READY_TO_RECORD = `(
  exists (select from companies where id = prerequisite_id) or exists (select from projects where id = prerequisite_id)
  or exists (select from jobs where id = prerequisite_id) or exists (select from leads where id = prerequisite_id)
  or starts_with(prerequisite_id, 'mem_')
)`;

/**
 * Records messages once per message id, in one transaction: their inbox rows and their effects. Returns the effects in order,
 * and those of messages that had waited for them.
 *
 * No two messages are about one resource or have one id. An early message is stored in its inbox row. A refused one leaves its
 * row unsettled, so that it can be sent again.
 *
 * After the commit it records messages that waited for the new state or are superseded by it, each in its own transaction. An
 * early message checks again for its prerequisite after its own commit: whichever of the two commits second sees the other.
 * `startWaitingMessages` handles failures, crashes and messages beyond the budget.
 *
 * Locks: the resources and what the messages may create in ascending order, the inbox rows in ascending order, then those of the effects, for
 * each table in ascending order, last the heads of the feeds. A message that locks in another order is recorded alone. After 2 s
 * it fails with `LockTimeoutError`.
 */
export async function recordPlatformMessages(
  deps: RecordingDeps,
  messages: readonly MessageToRecord[],
): Promise<{ readonly effects: readonly ArrivedEffect[]; readonly after: readonly AppliedLater[] }> {
  const now = deps.clock();
  const record = (claim: ClaimMessages) =>
    retryTakenAddress(() =>
      deps.database.transaction((tx) => recordOnce(tx, messages, { now, claim }), {
        lockTimeoutMs: LOCK_WAIT_MS,
      }),
    );
  const effects = await record(claimAsNew).catch((error: unknown) => {
    if (!isTaken(error, 'inbox_pkey')) throw error;
    return record(claimUnsettled);
  });
  const changed = messages.map(({ sent }, index) => changesOf(sent.messageId, effects[index]));
  return { effects, after: await recordDependents(deps, changed, newRecordingBudget()) };
}

/**
 * Records a waiting message as {@link recordPlatformMessages} does, in its own trace, after its prerequisite has appeared.
 *
 * A refused one is marked dead. Returns undefined if the message no longer waits. The messages that waited for it count against
 * the budget.
 */
export async function recordWaitingMessage(
  deps: RecordingDeps,
  { message_id: messageId, type, body, trace_parent }: WaitingRow,
  budget: RecordingBudget,
): Promise<{ readonly effect: PlatformEffect; readonly after: readonly AppliedLater[] } | undefined> {
  const now = deps.clock();
  const recorded = await withSpan(
    {
      name: 'process waiting platform message',
      kind: 'CONSUMER',
      parent: extractTrace({ traceparent: trace_parent }),
    },
    () =>
      retryTakenAddress(() =>
        deps.database.transaction((tx) => recordWaiting(tx, { messageId, type, body }, now), {
          lockTimeoutMs: LOCK_WAIT_MS,
        }),
      ),
  );
  if (recorded === undefined) return undefined;
  const { effect, waitedFor } = recorded;
  // A message that is still early although its prerequisite exists would wait forever.
  const isInVain = effect.kind === 'early' && effect.missing === waitedFor;
  const changed = isInVain ? [] : [changesOf(messageId, effect)];
  return { effect, after: await recordDependents(deps, changed, budget) };
}

const LOCK_RESOURCES: PreparedStatement = {
  name: 'lock-platform-resources',
  text: 'select pg_advisory_xact_lock(hashtextextended(resource, 0)) from unnest($1::text[]) as resource',
};

/** Claims the inbox rows of messages, in ascending order, and returns the ids of those that have not taken effect. */
type ClaimMessages = (
  tx: Transaction,
  messageIds: readonly string[],
  now: Date,
) => Promise<ReadonlySet<string>>;

// Separate statements, so that their snapshots are taken after the locks were granted.
const INSERT_MESSAGES: PreparedStatement = {
  name: 'insert-platform-messages',
  text: `insert into inbox (message_id, received_at, settled_at)
     select message_id, $2, $2 from unnest($1::text[]) as message_id order by message_id`,
};

/** Nothing waits for the rows: nearly all messages come once. A known one fails the transaction with a unique violation. */
const claimAsNew: ClaimMessages = (tx, messageIds, now) => {
  void tx.query(INSERT_MESSAGES, [messageIds, now]);
  return Promise.resolve(new Set(messageIds));
};

const CLAIM_MESSAGES: PreparedStatement = {
  name: 'claim-platform-messages',
  text: `insert into inbox as known (message_id, received_at, settled_at)
     select message_id, $2, $2 from unnest($1::text[]) as message_id order by message_id
     on conflict (message_id) do update set settled_at = excluded.settled_at,
       received_at = case when known.prerequisite_id is null then excluded.received_at else known.received_at end,
       ${CLEAR_STORED_MESSAGE}
     where known.settled_at is null
     returning message_id as "messageId"`,
};

const claimUnsettled: ClaimMessages = async (tx, messageIds, now) => {
  const claimed = await tx.query<{ messageId: string }>(CLAIM_MESSAGES, [messageIds, now]);
  return new Set(claimed.map(({ messageId }) => messageId));
};

async function recordOnce(
  tx: Transaction,
  messages: readonly MessageToRecord[],
  { now, claim }: { readonly now: Date; readonly claim: ClaimMessages },
): Promise<readonly ArrivedEffect[]> {
  lockAll(
    tx,
    messages.flatMap(({ message }) => message.locks),
  );
  const isNew = await claim(
    tx,
    messages.map(({ sent }) => sent.messageId),
    now,
  );
  const effects = new Map<MessageToRecord, ArrivedEffect>();
  const ascending = messages
    .filter(({ sent }) => isNew.has(sent.messageId))
    .sort((a, b) => (a.message.resourceId < b.message.resourceId ? -1 : 1));
  // All of them must settle before the transaction ends.
  const ended = await Promise.allSettled(
    ascending.map(async (each) => {
      effects.set(each, await each.run(() => recordNew(tx, each, now)));
    }),
  );
  const failed = ended.find((each) => each.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return messages.map((each) => effects.get(each) ?? { kind: 'repeated' });
}

/** The effect of a message whose inbox row is claimed as settled. */
async function recordNew(
  tx: Transaction,
  { sent, message }: MessageToRecord,
  now: Date,
): Promise<PlatformEffect> {
  const effect = await message.record(tx, now);
  if (effect.kind === 'early') {
    void tx.query(
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
    void tx.query('update inbox set settled_at = null where message_id = $1', [sent.messageId]);
  }
  return effect;
}

async function recordWaiting(
  tx: Transaction,
  sent: SentMessage,
  now: Date,
): Promise<{ readonly effect: PlatformEffect; readonly waitedFor: string } | undefined> {
  const read = readPlatformMessage(sent.type, sent.body, now);
  if (read.kind === 'whole') lockAll(tx, read.message.locks);
  const [waiting] = await tx.query<{ prerequisite_id: string; body: Buffer }>(
    'select prerequisite_id, body from inbox where message_id = $1 and prerequisite_id is not null for update',
    [sent.messageId],
  );
  if (waiting === undefined) return undefined;
  // An erasure can have redacted the body since it was read; the locks are the same.
  const current = readPlatformMessage(sent.type, waiting.body, now);
  const effect: PlatformEffect =
    current.kind === 'malformed'
      ? { kind: 'refused', reason: current.reason }
      : await current.message.record(tx, now);
  await settleWaiting(tx, sent.messageId, effect, now);
  return { effect, waitedFor: waiting.prerequisite_id };
}

function lockAll(tx: Transaction, locks: readonly string[]): void {
  void tx.query(LOCK_RESOURCES, [locks.map((id) => `platform ${id}`).sort()]);
}

/** Changes of a message that may let other messages take effect. */
interface Changes {
  /** The message itself, if it waits. */
  readonly waiting: readonly string[];
  /** Ids of resources that were created or changed. */
  readonly appeared: readonly string[];
}

function changesOf(messageId: string, effect: ArrivedEffect | undefined): Changes {
  return {
    waiting: effect?.kind === 'early' ? [messageId] : [],
    appeared: effect !== undefined && 'appeared' in effect ? (effect.appeared ?? []) : [],
  };
}

/**
 * Records the messages that wait for changed resources, superseded ones about them, and waiting messages whose own prerequisite
 * has appeared.
 *
 * The newest version of a state goes first: it takes effect, and older ones mostly do not, so that few outdated events are
 * emitted. Facts go in the order of their versions, as they happened.
 */
async function recordDependents(
  deps: RecordingDeps,
  changed: readonly Changes[],
  budget: RecordingBudget,
): Promise<readonly AppliedLater[]> {
  const waiting = changed.flatMap((each) => each.waiting);
  const appeared = changed.flatMap((each) => each.appeared);
  if ((waiting.length === 0 && appeared.length === 0) || budget.left === 0) return [];
  const applied: AppliedLater[] = [];
  try {
    const now = deps.clock();
    const rows = await deps.database.query<WaitingRow>(
      `select message_id, type, body, trace_parent from inbox
       where prerequisite_id is not null
         and (message_id = any($3::text[]) or prerequisite_id = any($1::text[]) or resource_id = any($1::text[])) and ${IS_READY_TO_RECORD}
       order by received_at, message_id limit $2`,
      [appeared, budget.left, waiting],
    );
    const inOrder = rows
      .map((row) => ({ row, read: readPlatformMessage(row.type, row.body, now) }))
      .sort((a, b) => orderOf(a.read) - orderOf(b.read));
    for (const { row } of inOrder) {
      if (budget.left === 0) break;
      budget.left -= 1;
      const recorded = await recordWaitingMessage(deps, row, budget);
      if (recorded === undefined) continue;
      applied.push({ messageId: row.message_id, type: row.type, effect: recorded.effect }, ...recorded.after);
    }
  } catch (error) {
    deps.logger.warn({ err: error, waiting, waitedFor: appeared }, 'platform.waiting_messages_deferred');
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
