import type { ConsumeOutcome, IncomingMessage } from '@partner/kernel/amqp/consumer';
import { assertNever } from '@partner/kernel/invariant';
import type { Logger } from '@partner/kernel/logger';
import { ServiceError } from '@partner/kernel/service-error';
import type { Registry } from 'prom-client';
import type { Database } from '../database/database.js';
import { platformMessageCounter } from './platform-message-counter.js';
import type { ReadMessage } from './platform-message-type.js';
import { readPlatformMessage } from './platform-messages.js';
import { type Recorded, recordPlatformMessage } from './record-platform-message.js';

/**
 * Creates the consumer of the platform's messages.
 *
 * Each message takes effect once per message id: its inbox row is part of the transaction of the effect. A message that arrives
 * before its prerequisite is stored in its inbox row and acknowledged, so that it blocks no other; it takes effect right after
 * the prerequisite. A message that is malformed, of an unknown type or contradicts recorded data is dead-lettered with the
 * reason.
 */
export function createPlatformMessageHandler(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly metrics: Registry;
}): (message: IncomingMessage) => Promise<ConsumeOutcome> {
  const handled = platformMessageCounter(deps.metrics);

  return async ({ messageId, type, body }) => {
    const read = readPlatformMessage(type, body, deps.clock());
    const { effect, after } = await handle({ messageId, type, body }, read);
    // An unknown type comes from the sender and would be an unbounded label.
    handled.inc({ type: read.kind === 'malformed' ? 'unknown' : type, result: effect.kind });
    deps.logger.info({ messageId, type, ...effect }, 'platform.message_recorded');
    for (const later of after) {
      handled.inc({ type: later.type, result: later.effect.kind });
      deps.logger.info(
        { messageId: later.messageId, type: later.type, ...later.effect },
        'platform.message_recorded',
      );
    }
    return consumeOutcome(effect);
  };

  async function handle(
    sent: Pick<IncomingMessage, 'messageId' | 'type' | 'body'>,
    read: ReadMessage,
  ): Promise<Recorded> {
    if (sent.messageId === '') return refused('the message has no id');
    if (read.kind === 'malformed') return refused(read.reason);
    try {
      return await recordPlatformMessage(deps, sent, read.message);
    } catch (error) {
      // A retry cannot fix text that Postgres cannot store.
      if (!(error instanceof ServiceError) || error.reason !== 'invalid_argument') throw error;
      return refused(error.message);
    }
  }
}

function refused(reason: string): Recorded {
  return { effect: { kind: 'refused', reason }, after: [] };
}

function consumeOutcome(effect: Recorded['effect']): ConsumeOutcome {
  switch (effect.kind) {
    case 'applied':
    case 'ignored':
    case 'repeated':
    case 'early':
      return { kind: 'done' };
    case 'refused':
      return { kind: 'dead', reason: effect.reason };
    default:
      return assertNever(effect);
  }
}
