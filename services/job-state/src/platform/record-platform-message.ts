import { assertNever } from '@partner/runtime/invariant';
import { injectTrace } from '@partner/runtime/telemetry/tracing';
import type { Transaction } from '../database/database.js';
import type { PlatformEffect } from './platform-effect.js';
import { type PlatformMessage, readPlatformMessage } from './platform-messages.js';
import { recordJobAssigned } from './record-job-assigned.js';
import { recordJobCreated } from './record-job-created.js';

/** A message of the platform that has the form of its contract. */
export type WholeMessage = Exclude<PlatformMessage, { kind: 'malformed' }>;

/** A message as it was sent. */
export interface SentMessage {
  readonly messageId: string;
  readonly type: string;
  readonly body: Uint8Array;
}

/** What a message that had waited has now done. */
export interface AppliedLater {
  readonly messageId: string;
  readonly type: string;
  readonly effect: PlatformEffect;
}

/** What a message did, and what those that had waited for it did after it. */
export interface Recorded {
  readonly effect: PlatformEffect | { readonly kind: 'repeated' };
  readonly after: readonly AppliedLater[];
}

interface WaitingRow {
  readonly message_id: string;
  readonly type: string;
  readonly body: Buffer;
}

/**
 * Records a message once per message id: its inbox row, its effect, and the effects of the messages that have waited for it
 * stand in one transaction. A message that came too early is kept in its inbox row, to be recorded with what it waits for.
 * A refused one leaves its row unsettled, so that it may be sent again.
 *
 * Locks: the messages about the job, the inbox rows, the projects, the job, last the feed head. The first of them makes a
 * message that comes too early and the one that it waits for take turns, so that neither overlooks the other.
 */
export async function recordPlatformMessage(
  tx: Transaction,
  sent: SentMessage,
  message: WholeMessage,
  now: Date,
): Promise<Recorded> {
  await lockMessagesAbout(tx, message.command.jobId);
  const claimed = await tx.query(
    `insert into inbox as known (message_id, received_at, settled_at) values ($1, $2, $2)
     on conflict (message_id) do update set settled_at = excluded.settled_at,
       received_at = case when known.waits_for is null then excluded.received_at else known.received_at end,
       waits_for = null, dead_reason = null, type = null, body = null, trace_parent = null
     where known.settled_at is null
     returning message_id`,
    [sent.messageId, now],
  );
  if (claimed.length === 0) return { effect: { kind: 'repeated' }, after: [] };
  const effect = await recordEffect(tx, message, now);
  if (effect.kind === 'early') {
    await tx.query(
      `update inbox set settled_at = null, waits_for = $2, type = $3, body = $4, trace_parent = $5 where message_id = $1`,
      [
        sent.messageId,
        effect.missing,
        sent.type,
        Buffer.from(sent.body),
        injectTrace()['traceparent'] ?? null,
      ],
    );
  }
  if (effect.kind === 'refused') {
    await tx.query('update inbox set settled_at = null where message_id = $1', [sent.messageId]);
  }
  return { effect, after: await recordWhatWaited(tx, message, effect, now) };
}

/**
 * Records a message that waits in the inbox as {@link recordPlatformMessage} does, after what it waited for has appeared by
 * another way than a message. A refused one is marked dead. Gives undefined when the message waits no more.
 */
export async function recordWaitingMessage(
  tx: Transaction,
  sent: SentMessage,
  now: Date,
): Promise<Recorded | undefined> {
  const message = readPlatformMessage(sent.type, sent.body, now);
  if (message.kind !== 'malformed') await lockMessagesAbout(tx, message.command.jobId);
  const waiting = await tx.query(
    'select message_id from inbox where message_id = $1 and waits_for is not null for update',
    [sent.messageId],
  );
  if (waiting.length === 0) return undefined;
  if (message.kind === 'malformed') {
    const refused = { kind: 'refused', reason: message.reason } as const;
    await settleWaiting(tx, sent.messageId, refused, now);
    return { effect: refused, after: [] };
  }
  const effect = await recordEffect(tx, message, now);
  await settleWaiting(tx, sent.messageId, effect, now);
  return { effect, after: await recordWhatWaited(tx, message, effect, now) };
}

async function lockMessagesAbout(tx: Transaction, jobId: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`platform ${jobId}`]);
}

function recordEffect(tx: Transaction, message: WholeMessage, now: Date): Promise<PlatformEffect> {
  switch (message.kind) {
    case 'job_created':
      return recordJobCreated(tx, message.command, now);
    case 'job_assigned':
      return recordJobAssigned(tx, message.command, now);
    default:
      return assertNever(message);
  }
}

/**
 * Records what waits for a job that has just been made. The newest by the platform's clock goes first: it takes effect, and
 * all that is older does not, so that one feed entry at most is made. What follows that entry touches locked rows alone.
 */
async function recordWhatWaited(
  tx: Transaction,
  made: WholeMessage,
  effect: PlatformEffect,
  now: Date,
): Promise<readonly AppliedLater[]> {
  if (made.kind !== 'job_created' || effect.kind !== 'applied') return [];
  const rows = await tx.query<WaitingRow>(
    'select message_id, type, body from inbox where waits_for = $1 order by received_at, message_id for update',
    [made.command.jobId],
  );
  const newestFirst = rows
    .map((row) => ({ ...row, message: readPlatformMessage(row.type, row.body, now) }))
    .sort((a, b) => occurredAtMs(b.message) - occurredAtMs(a.message));
  const applied: AppliedLater[] = [];
  for (const { message_id: messageId, type, message } of newestFirst) {
    const later: PlatformEffect =
      message.kind === 'malformed'
        ? { kind: 'refused', reason: message.reason }
        : await recordEffect(tx, message, now);
    await settleWaiting(tx, messageId, later, now);
    applied.push({ messageId, type, effect: later });
  }
  return applied;
}

function occurredAtMs(message: PlatformMessage): number {
  return message.kind === 'malformed' ? 0 : message.command.occurredAt.getTime();
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
      await tx.query(
        `update inbox set settled_at = $2, waits_for = null, type = null, body = null, trace_parent = null
         where message_id = $1`,
        [messageId, now],
      );
      return;
    case 'early':
      await tx.query('update inbox set waits_for = $2 where message_id = $1', [messageId, effect.missing]);
      return;
    case 'refused':
      await tx.query('update inbox set waits_for = null, dead_reason = $2 where message_id = $1', [
        messageId,
        effect.reason,
      ]);
      return;
    default:
      assertNever(effect);
  }
}
