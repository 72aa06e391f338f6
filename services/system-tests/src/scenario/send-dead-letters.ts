import { create, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { JobCreatedSchema } from '@partner/proto-contracts/gen/partner/platform/v1/job_messages_pb';
import {
  JournalEntryRecordedSchema,
  QuoteSentSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/sales_messages_pb';
import { PLATFORM as EXCHANGE, PLATFORM_MESSAGES } from '@partner/proto-contracts/topology';
import { newId } from '@partner/kernel/process/ids';
import type { BrokerProbe } from '@partner/kernel/testing/broker-probe';
import type { ScenarioDeps } from './company.js';
import type { ScenarioSide } from './drive-side.js';
import { PLATFORM } from './stage.js';

/**
 * Sends messages that can have no effect, each with canaries where it takes text. Keeps the headers of the dead letters, which
 * operators read; their bodies are what was sent.
 */
export async function sendDeadLetters(
  { canaries, recorder }: ScenarioDeps,
  probe: BrokerProbe,
  { seller, projectId }: ScenarioSide,
): Promise<void> {
  const word = (what: string) => canaries.word(`${what} of a dead letter`, PLATFORM);
  const occurredAt = timestampFromDate(new Date());
  const amount = { amountMinor: '1', currency: 'USD' };
  const job = create(JobCreatedSchema, {
    jobId: newId('job'),
    version: 1,
    sellingCompanyId: seller.id,
    customer: {
      name: word('name'),
      phone: word('phone'),
      line1: word('address'),
      zip: word('zip').repeat(20),
    },
    occurredAt,
  });
  const quote = create(QuoteSentSchema, {
    quoteId: newId('quo'),
    version: 1,
    projectId,
    total: { amountMinor: '1', currency: word('currency') },
    occurredAt,
  });
  const entry = create(JournalEntryRecordedSchema, {
    entryId: newId('jrn'),
    companyId: seller.id,
    record: {
      case: 'adjustment',
      value: { reasonCode: `${word('email in a reason')}@customers.example`, amount },
    },
    occurredAt,
  });
  const bodies = [
    [JobCreatedSchema.typeName, toBinary(JobCreatedSchema, job)],
    [QuoteSentSchema.typeName, toBinary(QuoteSentSchema, quote)],
    [JournalEntryRecordedSchema.typeName, toBinary(JournalEntryRecordedSchema, entry)],
    [JobCreatedSchema.typeName, Buffer.from(`\u0007${word('body that is no protobuf')}`)],
    ['partner.platform.v1.Unheard', Buffer.from(word('body of an unknown type'))],
  ] as const;
  for (const [type, body] of bodies) {
    const messageId = newId('evt');
    probe.channel.publish(EXCHANGE.name, type, Buffer.from(body), { messageId, type, persistent: true });
  }
  for (const _ of bodies) {
    const { properties, fields } = await probe.take(PLATFORM_MESSAGES.deadLetterQueue);
    const what = `a dead letter of type ${String(properties.type)}`;
    recorder.keep('dead letters', what, JSON.stringify({ properties, fields }));
  }
}
