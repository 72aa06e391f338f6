import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { incoming } from '../../../testing/test-jobs.js';

/** A message of the platform as the consumer receives it. */
export function salesMessage<Desc extends DescMessage>(
  schema: Desc,
  message: MessageInitShape<Desc>,
  messageId?: string,
): IncomingMessage {
  return incoming(schema.typeName, toBinary(schema, create(schema, message)), messageId);
}
