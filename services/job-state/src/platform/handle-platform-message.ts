import { AsyncResource } from 'node:async_hooks';
import type { ConsumeOutcome, IncomingMessage } from '@partner/kernel/amqp/consumer';
import { batchWhileBusy } from '@partner/kernel/process/batch-while-busy';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { Registry } from 'prom-client';
import type { Database } from '../database/database.js';
import { LockTimeoutError } from '../database/server-failures.js';
import { createNoteEffect } from './note-effect.js';
import type { ReadMessage } from './message-type/platform-message-type.js';
import { readPlatformMessage } from './platform-messages.js';
import {
  type ArrivedEffect,
  type MessageToRecord,
  recordPlatformMessages,
  type SentMessage,
} from './record-platform-message.js';

/** Bounds the size of a transaction. The consumer's prefetch bounds the concurrent messages first. */
const BATCH_SIZE = 200;

/**
 * Creates the consumer of the platform's messages.
 *
 * Messages that arrive while others are recorded share the next transaction, if they are about different resources; messages
 * about one resource keep their order. If a message fails or waits too long for a lock, those of its transaction are recorded
 * one by one.
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
  const note = createNoteEffect(deps);
  const record = batchWhileBusy<MessageToRecord, ArrivedEffect>({
    maxItems: BATCH_SIZE,
    keysOf: ({ sent, message }) => (message.isAlone ? 'alone' : [message.resourceId, sent.messageId]),
    async run(arrived) {
      const { effects, after } = await recordPlatformMessages(deps, arrived);
      for (const { messageId, type, effect } of after) note(messageId, type, effect);
      return effects;
    },
    isOfAll: (cause) =>
      cause instanceof ServiceError && cause.reason === 'unavailable' && !(cause instanceof LockTimeoutError),
  });

  return async ({ messageId, type, body }) => {
    const read = readPlatformMessage(type, body, deps.clock());
    const effect = await handle({ messageId, type, body }, read);
    // An unknown type comes from the sender and would be an unbounded label.
    note(messageId, type, effect, read.kind === 'malformed' ? 'unknown' : type);
    return effect.kind === 'refused' ? { kind: 'dead', reason: effect.reason } : { kind: 'done' };
  };

  async function handle(sent: SentMessage, read: ReadMessage): Promise<ArrivedEffect> {
    if (sent.messageId === '') return refused('the message has no id');
    if (read.kind === 'malformed') return refused(read.reason);
    try {
      return await record({ sent, message: read.message, run: AsyncResource.bind((work) => work()) });
    } catch (error) {
      // A retry cannot fix text that Postgres cannot store.
      if (!(error instanceof ServiceError) || error.reason !== 'invalid_argument') throw error;
      return refused(error.message);
    }
  }
}

function refused(reason: string): ArrivedEffect {
  return { kind: 'refused', reason };
}
