import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/ids';
import { openBrokerProbe } from '@partner/kernel/testing/broker-probe';
import { JournalEntryRecordedSchema } from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import { PLATFORM_MESSAGES } from '@partner/proto-contracts/topology';
import { createActiveSubscription, readDeliveries, signIn } from '../support/owner-session.js';
import type { AcceptanceWorld } from './acceptance-world.js';

/** Of the receiver. */
const PATH = '/webhooks/journal';

/** What accounting companies get of the platform's journal. */
export function describeJournal(world: () => AcceptanceWorld): void {
  test('an entry with personal data in a code is dead-lettered, and no accounting company gets it [PLATFORM-16]', async () => {
    const { stack } = world();
    const [accountant] = stack.companies('ACCOUNTING');
    const [seller] = stack.companies('SALES');
    if (accountant === undefined || seller === undefined) throw new Error('the sandbox has both');
    const owner = await signIn(stack.baseUrl, accountant.owner);
    const webhook = await createActiveSubscription(owner, {
      url: `${stack.receiverUrl}/journal`,
      events: ['journal.*'],
    });
    const amount = { amountMinor: '1', currency: 'USD' };
    const adjustment = (reasonCode: string) =>
      ({ case: 'adjustment', value: { reasonCode, amount } }) as const;
    const invoice = (invoiceNumber: string) =>
      ({ case: 'invoice', value: { invoiceId: newId('inv'), invoiceNumber, amount } }) as const;
    const tell = async (record: ReturnType<typeof adjustment | typeof invoice>) => {
      const entryId = newId('jrn');
      const occurredAt = timestampFromDate(new Date());
      await stack.publishFromPlatform(JournalEntryRecordedSchema, {
        entryId,
        companyId: seller.id,
        record,
        occurredAt,
      });
      return entryId;
    };

    const probe = await openBrokerProbe(stack.stack.description.amqpUrl);
    try {
      for (const [record, field] of [
        [adjustment('ada.quill@mail.example'), 'reasonCode'],
        [adjustment('CALL-512-555-0100'), 'reasonCode'],
        [invoice('7 Harbor Street'), 'invoiceNumber'],
      ] as const) {
        await tell(record);
        const { properties } = await probe.take(PLATFORM_MESSAGES.deadLetterQueue);
        expect(properties).toMatchObject({
          type: JournalEntryRecordedSchema.typeName,
          headers: { 'x-dead-reason': expect.stringContaining(field) },
        });
      }
    } finally {
      await probe.close();
    }

    const told = await tell(adjustment('WRITE_OFF'));
    const ofJournal = () =>
      stack.receiver.received.filter(
        ({ path, envelope }) => path === PATH && envelope.event !== 'install.test',
      );
    await stack.receiver.waitUntil('the entry', () => ofJournal().length > 0);
    // At least once: the same entry may come again, and no other one.
    expect(new Set(ofJournal().map(({ envelope }) => envelope.resource.id))).toEqual(new Set([told]));
    const { deliveries } = await readDeliveries(owner, webhook.id);
    expect(
      deliveries.filter(({ event }) => event !== 'install.test').map(({ resource }) => resource.id),
    ).toEqual([told]);
    await owner.call('DELETE', `/partner-api/webhooks/${webhook.id}`);
  });
}
