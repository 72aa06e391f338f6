import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  AppointmentScheduledSchema,
  CompanyChangedSchema,
  CompanyClass,
  JobCreatedSchema,
  JournalEntryRecordedSchema,
  MembershipChangedSchema,
  MembershipRole,
  QuoteSentSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import { PLATFORM, PLATFORM_MESSAGES } from '@partner/proto-contracts/topology';
import { newId } from '@partner/kernel/ids';
import type { BrokerProbe } from '@partner/kernel/testing/broker-probe';
import type { ScenarioSide } from './drive-side.js';
import type { ScenarioDeps } from './company.js';
import { withUnknownFields } from './unknown-fields.js';

const SOURCE = 'messages of the platform';

/**
 * Sends messages that can have no effect: malformed ones, unheard ones and ones that contradict what is recorded, each with
 * canaries wherever it takes text. Keeps the headers of the dead letters, which operators read; their bodies are what was sent.
 */
export async function sendDeadLetters(
  { stack, canaries, recorder }: ScenarioDeps,
  probe: BrokerProbe,
  side: ScenarioSide,
  other: ScenarioSide,
): Promise<void> {
  const word = (what: string) => canaries.word(`${what} of a dead letter to ${side.seller.who}`, SOURCE);
  const occurredAt = timestampFromDate(new Date());
  const bodies: (readonly [string, Uint8Array])[] = [];
  const add = <Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>) =>
    bodies.push([schema.typeName, toBinary(schema, create(schema, init))]);
  const customer = () => ({
    name: word('name'),
    phone: word('phone'),
    line1: word('address'),
    city: word('city'),
    state: 'TX',
    zip: '78701',
  });
  const scope = () => ({ packageName: word('package'), systemType: 'HVAC', scopeVersion: 1 });
  const job = () => ({ jobId: newId('job'), version: 1, occurredAt, scope: scope() });

  add(JobCreatedSchema, {
    ...job(),
    sellingCompanyId: side.seller.id,
    customer: { ...customer(), zip: word('long zip').repeat(20) },
  });
  add(JobCreatedSchema, { ...job(), sellingCompanyId: side.installer.id, customer: customer() });
  add(JobCreatedSchema, { ...job(), jobId: word('id'), sellingCompanyId: word('company id') });
  const times = { startsAt: occurredAt, endsAt: timestampFromDate(new Date(Date.now() + 3_600_000)) };
  const appointment = { appointmentId: newId('appt'), version: 1, ...times, occurredAt };
  add(AppointmentScheduledSchema, {
    ...appointment,
    leadId: side.leadId,
    notes: word('long notes').repeat(50),
  });
  add(AppointmentScheduledSchema, {
    ...appointment,
    leadId: side.leadId,
    projectId: other.projectId,
    notes: word('notes with a project of another company'),
  });
  add(QuoteSentSchema, {
    quoteId: newId('quo'),
    version: 1,
    projectId: side.projectId,
    total: { amountMinor: '1', currency: word('currency') },
    occurredAt,
  });
  add(
    JournalEntryRecordedSchema,
    withUnknownFields(
      create(JournalEntryRecordedSchema, {
        entryId: newId('jrn'),
        companyId: side.seller.id,
        projectId: other.projectId,
        record: {
          case: 'adjustment',
          value: {
            reasonCode: canaries.code('reason of a dead letter', SOURCE),
            amount: { amountMinor: '1', currency: 'USD' },
          },
        },
        occurredAt,
      }),
      [word('email in the journal'), word('name in the journal')],
    ),
  );
  const amount = { amountMinor: '1', currency: 'USD' };
  const invoiceNumber = `7 ${word('address in an invoice number')} Street`;
  const reasonCode = `${word('email in a reason')}@customers.example`;
  for (const record of [
    { case: 'invoice', value: { invoiceId: newId('inv'), invoiceNumber, amount } },
    { case: 'adjustment', value: { reasonCode, amount } },
  ] as const) {
    add(JournalEntryRecordedSchema, {
      entryId: newId('jrn'),
      companyId: side.seller.id,
      record,
      occurredAt,
    });
  }
  const membership = {
    membershipId: newId('mem'),
    version: 1,
    companyId: side.seller.id,
    role: MembershipRole.OWNER,
    active: true,
    occurredAt,
  };
  // As an operator makes an owner: one whom the platform tells of may still leave the address, so that would be waited for.
  const email = `${word('email of an owner')}@owners.example`;
  await stack.database.query(
    `insert into memberships (id, company_id, role, display_name, email) values ($1, $2, 'OWNER', '', $3)`,
    [newId('mem'), other.seller.id, email],
  );
  add(MembershipChangedSchema, { ...membership, displayName: word('name of an owner'), email });
  add(MembershipChangedSchema, {
    ...membership,
    displayName: word('name of somebody'),
    email: word('no email'),
  });
  add(CompanyChangedSchema, {
    companyId: side.seller.id,
    version: 9,
    name: word('name of another class'),
    class: CompanyClass.INSTALLER,
    occurredAt,
  });
  bodies.push(['partner.platform.v1.Unheard', Buffer.from(word('body of an unknown type'))]);
  bodies.push([JobCreatedSchema.typeName, Buffer.from(`\u0007${word('body that is no protobuf')}`)]);

  const sent = new Set<string>();
  for (const [type, body] of bodies) {
    const messageId = newId('evt');
    sent.add(messageId);
    probe.channel.publish(PLATFORM.name, type, Buffer.from(body), { messageId, type, persistent: true });
  }
  while (sent.size > 0) {
    const { properties, fields } = await probe.take(PLATFORM_MESSAGES.deadLetterQueue);
    const id: unknown = properties.messageId;
    if (typeof id !== 'string' || !sent.delete(id))
      throw new Error(`an unexpected dead letter ${String(id)}`);
    recorder.keep(
      'dead letters',
      `a dead letter of type ${String(properties.type)}`,
      JSON.stringify({ properties, fields }),
    );
  }
}
