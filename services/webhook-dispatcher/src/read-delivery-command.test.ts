import type { MessageInitShape } from '@bufbuild/protobuf';
import { eventually } from '@partner/test-kit/eventually';
import { describe, expect, test } from '@jest/globals';
import {
  AttemptOutcome,
  type DeliverWebhookSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { command, deliverer, encoded, message, results, run } from './testing/deliver-fixture.js';

describe('a command', () => {
  test.each([
    'deliveryId',
    'subscriptionId',
    'leaseId',
    'attempt',
    'leaseExpiresAt',
    'url',
    'urlVersion',
    'eventId',
    'event',
    'body',
    'secretVersion',
    'sealedSecret',
  ] as const)('without %s is dead', async (field) => {
    const fields: MessageInitShape<typeof DeliverWebhookSchema> = { ...command };
    Reflect.deleteProperty(fields, field);
    const outcome = await deliverer()({ ...message(), body: encoded(fields) });
    const named = new RegExp(`^the DeliverWebhook is malformed: ${field}: [^;]+$`);
    expect(outcome).toEqual({ kind: 'dead', reason: expect.stringMatching(named) });
    expect(run.posts).toHaveLength(0);
    const isReported = field !== 'deliveryId' && field !== 'leaseId';
    expect(results()).toHaveLength(isReported ? 1 : 0);
  });

  test('whose event could break a header can never be executed: it is reported as a failed attempt, once, then dead-lettered', async () => {
    const deliver = deliverer();
    run.publisher.failWith('closed');
    const malformed = message({ event: 'a\r\nx-evil: 1' });
    const outcome = deliver(malformed);
    await eventually('a refused report', () => run.publisher.refused() > 0);
    run.publisher.failWith(undefined);
    expect(await outcome).toMatchObject({ kind: 'dead' });
    expect(await deliver({ ...malformed, redelivered: true })).toMatchObject({ kind: 'dead' });
    expect(results()).toHaveLength(1);
    expect(results()[0]).toMatchObject({ deliveryId: 'dlv_delivery', leaseId: 'lease-1', urlVersion: 2 });
    expect(results()[0]?.attempt).toMatchObject({
      deliveryId: 'dlv_attempt1',
      number: 3,
      outcome: AttemptOutcome.CONNECTION_FAILED,
      error: expect.stringContaining('nothing was sent'),
      secretVersion: 4,
    });
    expect(run.posts).toHaveLength(0);
  });

  test('without the start of its lease is executed', async () => {
    await deliverer()(message({ leasedAt: undefined }));
    expect(run.posts).toHaveLength(1);
  });

  test('of another message type is dead-lettered', async () => {
    const deliver = deliverer();
    const outcome = await deliver({ ...message(), body: Buffer.of(0xff, 0xff, 0xff) });
    expect(outcome).toEqual({ kind: 'dead', reason: 'the message is not a DeliverWebhooks, or is empty' });
    expect(await deliver({ ...message(), body: Buffer.alloc(0) })).toMatchObject({ kind: 'dead' });
  });
});
