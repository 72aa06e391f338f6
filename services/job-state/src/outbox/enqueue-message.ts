import { randomUUID } from 'node:crypto';
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { ExchangeDefinition } from '@partner/proto-contracts/topology';
import { currentRequestId } from '@partner/kernel/telemetry/request-context';
import { injectTrace } from '@partner/kernel/telemetry/tracing';
import { commitTopic } from '../database/after-commit.js';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Transaction } from '../database/database.js';

const ENQUEUE: PreparedStatement = {
  name: 'enqueue-messages',
  shared: 'together',
  text: `with message as materialized (
       select * from unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::text[], $6::text[]) with ordinality
         as message (message_id, exchange, type, body, trace_parent, request_id, call)
     ), enqueued as (
       insert into outbox (message_id, exchange, type, body, trace_parent, request_id)
       select message_id, exchange, type, body, trace_parent, request_id from message order by call
       returning id, message_id
     )
     select call, id from enqueued join message using (message_id)`,
};

export interface OutboxMessage {
  readonly id: string;
  readonly messageId: string;
  readonly exchange: string;
  /** The full protobuf name, which is also the routing key. */
  readonly type: string;
  readonly body: Buffer;
  readonly traceParent: string | null;
  readonly requestId: string | null;
}

/** Messages that are committed, but not published yet. */
export const committedMessages = commitTopic<OutboxMessage>();

/**
 * Enqueues a message that is published after the commit: at least once, with one message id.
 *
 * It goes to the exchange with its full protobuf name as type and routing key, and continues the active trace and request.
 */
export function enqueueMessage<Desc extends DescMessage>(
  tx: Transaction,
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
      for (const { id } of rows) committedMessages.tell(tx, { ...message, id });
    },
    () => undefined,
  );
}
