import type { ConsumeOutcome, IncomingMessage } from '@partner/runtime/amqp/consumer';
import { assertNever } from '@partner/runtime/invariant';
import type { Logger } from '@partner/runtime/logger';
import { ServiceError } from '@partner/runtime/service-error';
import { Counter, type Registry } from 'prom-client';
import type { Database, Transaction } from '../database/database.js';
import type { PlatformEffect } from './platform-effect.js';
import { type PlatformMessage, readPlatformMessage } from './platform-messages.js';
import { recordJobAssigned } from './record-job-assigned.js';
import { recordJobCreated } from './record-job-created.js';

/** How long a message that came too early may wait for what it builds on, and how long between two tries. */
const PATIENCE_MS = 60_000;
const RETRY_MS = 5_000;

type Handled =
  PlatformEffect | { readonly kind: 'repeated' } | { readonly kind: 'overdue'; readonly missing: string };

/**
 * Makes the consumer of the platform's messages. Each takes effect once per message id: the inbox row stands in the
 * transaction of the effect. A message that came before what it builds on is tried again for 60 s from its first coming. One
 * that is malformed, of an unknown type, contradicts what is recorded or has waited in vain is dead, with the reason.
 */
export function createPlatformMessageHandler(deps: {
  readonly database: Pick<Database, 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly metrics: Registry;
}): (message: IncomingMessage) => Promise<ConsumeOutcome> {
  const handled = new Counter({
    name: 'partner_platform_messages_total',
    help: 'Messages of the platform, by type and by what they did.',
    labelNames: ['type', 'result'] as const,
    registers: [deps.metrics],
  });

  return async ({ messageId, type, body }) => {
    const message = readPlatformMessage(type, body);
    const result = await handle(messageId, message);
    // The type of a message that nobody knows is the sender's invention: no label.
    handled.inc({ type: message.kind === 'malformed' ? 'unknown' : type, result: result.kind });
    deps.logger.info({ messageId, type, ...result }, 'platform.message_recorded');
    return consumeOutcome(result);
  };

  async function handle(messageId: string, message: PlatformMessage): Promise<Handled> {
    if (messageId === '') return { kind: 'refused', reason: 'the message has no id' };
    if (message.kind === 'malformed') return { kind: 'refused', reason: message.reason };
    const now = deps.clock();
    try {
      return await deps.database.transaction((tx) => recordOnce(tx, messageId, message, now));
    } catch (error) {
      // Text that can not be stored will not get better by trying again.
      if (!(error instanceof ServiceError) || error.reason !== 'invalid_argument') throw error;
      return { kind: 'refused', reason: error.message };
    }
  }
}

/** Settles the message's inbox row and does what the message says, unless the row was settled before. */
async function recordOnce(
  tx: Transaction,
  messageId: string,
  message: Exclude<PlatformMessage, { kind: 'malformed' }>,
  now: Date,
): Promise<Handled> {
  const [inbox] = await tx.query<{ received_at: Date }>(
    `insert into inbox as known (message_id, received_at, settled_at) values ($1, $2, $2)
     on conflict (message_id) do update set settled_at = excluded.settled_at where known.settled_at is null
     returning received_at`,
    [messageId, now],
  );
  if (inbox === undefined) return { kind: 'repeated' };
  const effect = await recordEffect(tx, message, now);
  if (effect.kind !== 'early' && effect.kind !== 'refused') return effect;

  await tx.query('update inbox set settled_at = null where message_id = $1', [messageId]);
  const waitedMs = now.getTime() - inbox.received_at.getTime();
  return effect.kind === 'early' && waitedMs >= PATIENCE_MS
    ? { kind: 'overdue', missing: effect.missing }
    : effect;
}

function recordEffect(
  tx: Transaction,
  message: Exclude<PlatformMessage, { kind: 'malformed' }>,
  now: Date,
): Promise<PlatformEffect> {
  switch (message.kind) {
    case 'job_created':
      return recordJobCreated(tx, message.command, now);
    case 'job_assigned':
      return recordJobAssigned(tx, message.command, now);
    default:
      return assertNever(message);
  }
}

function consumeOutcome(result: Handled): ConsumeOutcome {
  switch (result.kind) {
    case 'applied':
    case 'ignored':
    case 'repeated':
      return { kind: 'done' };
    case 'early':
      return { kind: 'retry', afterMs: RETRY_MS };
    case 'overdue':
      return { kind: 'dead', reason: `there is no ${result.missing} after ${PATIENCE_MS / 1_000} s` };
    case 'refused':
      return { kind: 'dead', reason: result.reason };
    default:
      return assertNever(result);
  }
}
