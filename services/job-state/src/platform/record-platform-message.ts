import { assertNever } from '@partner/kernel/invariant';
import type { Logger } from '@partner/kernel/logger';
import { injectTrace } from '@partner/kernel/telemetry/tracing';
import type { Database, Transaction } from '../database/database.js';
import type { PlatformEffect } from './platform-effect.js';
import type { WholeMessage } from './platform-message-type.js';
import { readPlatformMessage } from './platform-messages.js';

/** How many messages that have waited are recorded in one turn, with all that waited for them in turn. */
const TURN_SIZE = 1_000;

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

/** What recording stands on. */
export interface RecordingDeps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Logger;
}

/** How many messages that have waited may still be recorded before others get their turn. */
export interface Turn {
  left: number;
}

export function newTurn(): Turn {
  return { left: TURN_SIZE };
}

interface WaitingRow {
  readonly message_id: string;
  readonly type: string;
  readonly body: Buffer;
}

/** What a row of the inbox is set to once its message is not kept any more. */
export const KEPT_NO_LONGER = `waits_for = null, tried_at = null, dead_reason = null, thing_id = null, thing_version = null,
  type = null, body = null, trace_parent = null`;

/**
 * Of a row of the inbox: whether to look at it again. What it waits for is there, or may have left the email address that is
 * wanted, or a newer version of what it is about is recorded, which makes it void.
 */
export const WAITS_NO_LONGER = `(
  exists (select from companies where id = waits_for) or exists (select from projects where id = waits_for)
  or exists (select from jobs where id = waits_for) or exists (select from leads where id = waits_for)
  or starts_with(waits_for, 'mem_')
  or exists (select from companies where id = thing_id and version >= thing_version)
  or exists (select from memberships where id = thing_id and version >= thing_version)
)`;

/**
 * Records a message once per message id: its inbox row and its effect stand in one transaction. A message that came too early
 * is kept in its inbox row. A refused one leaves its row unsettled, so that it may be sent again.
 *
 * After the commit, messages that have waited for what is there now, or that it makes void, are recorded, each in a transaction
 * of its own. A message that came too early looks once more for what it misses after its own commit: whichever of the two
 * commits second sees the other. What fails there, dies before it or is too much for one turn is left to
 * `startWaitingMessages`.
 *
 * Locks: the messages about the thing, the inbox row, then what the message's effect locks. No transaction holds the messages
 * about two things.
 */
export async function recordPlatformMessage(
  deps: RecordingDeps,
  sent: SentMessage,
  message: WholeMessage,
): Promise<Recorded> {
  const now = deps.clock();
  const effect = await deps.database.transaction((tx) => recordOnce(tx, sent, message, now));
  return { effect, after: await recordWhatWaited(deps, sent.messageId, effect, newTurn()) };
}

/**
 * Records a message that waits in the inbox as {@link recordPlatformMessage} does, after what it waited for has appeared. A
 * refused one is marked dead. Gives undefined when the message waits no more. What had waited for it comes out of the turn.
 */
export async function recordWaitingMessage(
  deps: RecordingDeps,
  sent: SentMessage,
  turn: Turn,
): Promise<(Recorded & { readonly effect: PlatformEffect }) | undefined> {
  const now = deps.clock();
  const recorded = await deps.database.transaction((tx) => recordWaiting(tx, sent, now));
  return (
    recorded && {
      effect: recorded.effect,
      after: await recordWhatWaited(deps, sent.messageId, recorded.effect, turn, recorded.waitedFor),
    }
  );
}

async function recordOnce(
  tx: Transaction,
  sent: SentMessage,
  message: WholeMessage,
  now: Date,
): Promise<Recorded['effect']> {
  await lockMessagesAbout(tx, message.thingId);
  const claimed = await tx.query(
    `insert into inbox as known (message_id, received_at, settled_at) values ($1, $2, $2)
     on conflict (message_id) do update set settled_at = excluded.settled_at,
       received_at = case when known.waits_for is null then excluded.received_at else known.received_at end,
       ${KEPT_NO_LONGER}
     where known.settled_at is null
     returning message_id`,
    [sent.messageId, now],
  );
  if (claimed.length === 0) return { kind: 'repeated' };
  const effect = await message.record(tx, now);
  if (effect.kind === 'early') {
    await tx.query(
      `update inbox set settled_at = null, waits_for = $2, thing_id = $3, thing_version = $4, type = $5, body = $6,
         trace_parent = $7
       where message_id = $1`,
      [
        sent.messageId,
        effect.missing,
        message.thingId,
        message.version,
        sent.type,
        Buffer.from(sent.body),
        injectTrace()['traceparent'] ?? null,
      ],
    );
  }
  if (effect.kind === 'refused') {
    await tx.query('update inbox set settled_at = null where message_id = $1', [sent.messageId]);
  }
  return effect;
}

async function recordWaiting(
  tx: Transaction,
  sent: SentMessage,
  now: Date,
): Promise<{ readonly effect: PlatformEffect; readonly waitedFor: string } | undefined> {
  const read = readPlatformMessage(sent.type, sent.body, now);
  if (read.kind === 'whole') await lockMessagesAbout(tx, read.message.thingId);
  const [waiting] = await tx.query<{ waits_for: string }>(
    'select waits_for from inbox where message_id = $1 and waits_for is not null for update',
    [sent.messageId],
  );
  if (waiting === undefined) return undefined;
  const effect: PlatformEffect =
    read.kind === 'malformed' ? { kind: 'refused', reason: read.reason } : await read.message.record(tx, now);
  await settleWaiting(tx, sent.messageId, effect, now);
  return { effect, waitedFor: waiting.waits_for };
}

async function lockMessagesAbout(tx: Transaction, thingId: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`platform ${thingId}`]);
}

/**
 * Records what waits for a thing that a message has made or changed, what is about the same thing and void now, or the message
 * itself when it waits for one that has appeared meanwhile. The newest version of a state goes first: it takes effect, and what
 * is older mostly does not, so that little is told that is outdated already. Facts go in the order of their versions, as they
 * happened.
 */
async function recordWhatWaited(
  deps: RecordingDeps,
  messageId: string,
  effect: Recorded['effect'],
  turn: Turn,
  waitedFor?: string,
): Promise<readonly AppliedLater[]> {
  // One that is still too early though what it waits for is there would wait in circles.
  if (effect.kind === 'early' && effect.missing === waitedFor) return [];
  const there = 'appeared' in effect ? (effect.appeared ?? []) : [];
  if ((there.length === 0 && effect.kind !== 'early') || turn.left === 0) return [];
  const applied: AppliedLater[] = [];
  try {
    const now = deps.clock();
    const rows = await deps.database.query<WaitingRow>(
      `select message_id, type, body from inbox
       where waits_for is not null
         and (message_id = $3 or waits_for = any($1::text[]) or thing_id = any($1::text[])) and ${WAITS_NO_LONGER}
       order by received_at, message_id limit $2`,
      [there, turn.left, messageId],
    );
    const inOrder = rows
      .map((row) => ({ row, read: readPlatformMessage(row.type, row.body, now) }))
      .sort((a, b) => placeOf(a.read) - placeOf(b.read));
    for (const { row } of inOrder) {
      if (turn.left === 0) break;
      turn.left -= 1;
      const sent = { messageId: row.message_id, type: row.type, body: row.body };
      const recorded = await recordWaitingMessage(deps, sent, turn);
      if (recorded === undefined) continue;
      applied.push(
        { messageId: sent.messageId, type: sent.type, effect: recorded.effect },
        ...recorded.after,
      );
    }
  } catch (error) {
    deps.logger.warn({ err: error, messageId, waitedFor: there }, 'platform.waiting_messages_put_off');
  }
  return applied;
}

function placeOf(read: ReturnType<typeof readPlatformMessage>): number {
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
      await tx.query(`update inbox set settled_at = $2, ${KEPT_NO_LONGER} where message_id = $1`, [
        messageId,
        now,
      ]);
      return;
    case 'early':
      await tx.query(
        'update inbox set waits_for = $2, tried_at = case when waits_for = $2 then $3::timestamptz end where message_id = $1',
        [messageId, effect.missing, now],
      );
      return;
    case 'refused':
      await tx.query(
        'update inbox set waits_for = null, tried_at = null, dead_reason = $2 where message_id = $1',
        [messageId, effect.reason],
      );
      return;
    default:
      assertNever(effect);
  }
}
