import { randomUUID } from 'node:crypto';
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { ExchangeDefinition } from '@partner/proto-contracts/topology';
import { currentRequestId } from '@partner/kernel/request-context';
import { injectTrace } from '@partner/kernel/telemetry/tracing';
import type { Transaction } from '../database/database.js';

/**
 * Enqueues a message that is published after the commit: at least once, with one message id.
 *
 * It goes to the exchange with its full protobuf name as type and routing key, and continues the active trace and request.
 */
export async function enqueueMessage<Desc extends DescMessage>(
  tx: Pick<Transaction, 'query' | 'wakeAfterCommit'>,
  outgoing: {
    readonly exchange: ExchangeDefinition;
    readonly schema: Desc;
    readonly message: MessageInitShape<Desc>;
  },
): Promise<void> {
  await tx.query(
    'insert into outbox (message_id, exchange, type, body, trace_parent, request_id) values ($1, $2, $3, $4, $5, $6)',
    [
      randomUUID(),
      outgoing.exchange.name,
      outgoing.schema.typeName,
      Buffer.from(toBinary(outgoing.schema, create(outgoing.schema, outgoing.message))),
      injectTrace()['traceparent'] ?? null,
      currentRequestId() ?? null,
    ],
  );
  tx.wakeAfterCommit('outbox');
}
