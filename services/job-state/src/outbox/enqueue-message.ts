import { randomUUID } from 'node:crypto';
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { ExchangeDefinition } from '@partner/proto-contracts/topology';
import { currentRequestId } from '@partner/kernel/request-context';
import { injectTrace } from '@partner/kernel/telemetry/tracing';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Transaction } from '../database/database.js';

const ENQUEUE: PreparedStatement = {
  name: 'enqueue-message',
  text: `insert into outbox (message_id, exchange, type, body, trace_parent, request_id) values ($1, $2, $3, $4, $5, $6)
    returning id`,
};

/**
 * Enqueues a message that is published after the commit: at least once, with one message id.
 *
 * It goes to the exchange with its full protobuf name as type and routing key, and continues the active trace and request.
 */
export function enqueueMessage<Desc extends DescMessage>(
  tx: Pick<Transaction, 'query' | 'publishAfterCommit'>,
  outgoing: {
    readonly exchange: ExchangeDefinition;
    readonly schema: Desc;
    readonly message: MessageInitShape<Desc>;
  },
): void {
  const message = {
    messageId: randomUUID(),
    exchange: outgoing.exchange.name,
    type: outgoing.schema.typeName,
    body: Buffer.from(toBinary(outgoing.schema, create(outgoing.schema, outgoing.message))),
    traceParent: injectTrace()['traceparent'] ?? null,
    requestId: currentRequestId() ?? null,
  };
  const { messageId, exchange, type, body, traceParent, requestId } = message;
  tx.query<{ id: string }>(ENQUEUE, [messageId, exchange, type, body, traceParent, requestId]).then(
    (rows) => {
      for (const { id } of rows) tx.publishAfterCommit({ ...message, id });
    },
    () => undefined,
  );
}
