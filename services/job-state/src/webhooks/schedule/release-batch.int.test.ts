import '@partner/kernel/telemetry/start';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from '@jest/globals';
import { invariant } from '@partner/kernel/process/invariant';
import { runWithRequestId } from '@partner/kernel/telemetry/request-context';
import { withSpan } from '@partner/kernel/telemetry/tracing';
import { endExpiredLeases } from './claim-due.js';
import { fixture, release, commandsIn } from '../testing/release-fixture.js';

describe('due deliveries', () => {
  test('are published with everything that an attempt needs, under a lease, in the trace of the event', async () => {
    const { companyId, subscriptionId } = await fixture.companyWith(0);
    const { eventId, traceId } = await withSpan({ name: 'test', kind: 'SERVER' }, async (span) => ({
      eventId: await runWithRequestId('req-1', () => fixture.event(companyId)),
      traceId: span.spanContext().traceId,
    }));
    const { released, failed, publisher } = await release();
    expect([released, failed]).toEqual([1, 0]);
    const [delivery] = await fixture.deliveriesOf(subscriptionId);
    const [message] = publisher.published.all();
    invariant(delivery && message, 'one delivery was published');
    expect(message).toMatchObject({
      exchange: { name: 'partner.commands' },
      routingKey: 'webhook-dispatcher.deliveries',
      type: 'partner.webhooks.v1.DeliverWebhooks',
      messageId: delivery.lease_id,
    });
    const [[command] = []] = commandsIn(publisher);
    invariant(command, 'the message has a command');
    expect(command.traceParent).toContain(traceId);
    expect(command).toMatchObject({
      deliveryId: delivery.id,
      subscriptionId,
      leaseId: delivery.lease_id,
      attempt: 1,
      url: `https://receiver.test/${subscriptionId}`,
      urlVersion: 1,
      eventId,
      event: 'install.status_changed',
      secretVersion: 1,
      requestId: 'req-1',
    });
    expect(Buffer.from(command.body ?? [])).toEqual((await fixture.row('events', eventId))['body']);
    expect(Buffer.from(command.sealedSecret ?? []).toString('hex')).toBe('5ea1ed');
    invariant(command.leaseExpiresAt && command.leasedAt, 'the lease has a beginning and an end');
    const [leasedAt, expiresAt] = [timestampDate(command.leasedAt), timestampDate(command.leaseExpiresAt)];
    expect(expiresAt.getTime() - leasedAt.getTime()).toBe(30_000);
    expect(expiresAt).toEqual(delivery.next_attempt_at);
    expect(delivery.wait_ms).toBeGreaterThan(0);
    expect(delivery.wait_ms).toBeLessThanOrEqual(30_000);
  });

  test('have the private key of their subscription if it wants one, except a test with a wrong signature [SECRET-12, SECRET-10]', async () => {
    const { subscriptionId, ids } = await fixture.companyWith(2);
    const { subscriptionId: other } = await fixture.companyWith(1);
    const [wrong, right] = ids;
    await fixture.set('deliveries', wrong, "wrong_secret = '\\x5ea1ed'");
    await fixture.set('subscriptions', subscriptionId, 'asymmetric_signature = true');
    const commands = commandsIn((await release()).publisher).flat();
    expect(commands).toHaveLength(3);
    const [ofOther] = commands.filter((command) => command.subscriptionId === other);
    expect(ofOther).not.toHaveProperty('sealedPrivateKey');
    const keys = new Map(commands.map(({ deliveryId, sealedPrivateKey }) => [deliveryId, sealedPrivateKey]));
    expect(keys.get(wrong)).toBeUndefined();
    expect(Buffer.from(keys.get(right) ?? []).toString()).toBe(subscriptionId);
  });

  test('share a command, up to ten, apart from those of a failing subscription, which have their own', async () => {
    await fixture.companyWith(12);
    const failing = await fixture.companyWith(2);
    await fixture.set('subscriptions', failing.subscriptionId, 'failures_in_row = 1');
    const sizes = commandsIn((await release()).publisher).map((commands) => commands.length);
    expect(sizes.sort((a, b) => a - b)).toEqual([1, 1, 2, 10]);
  });

  test('are returned if the broker does not accept them, with their attempts, due again a little later', async () => {
    const { ids } = await fixture.companyWith(3);
    expect(await release('not-connected')).toMatchObject({ released: 0, failed: 3 });
    for (const id of ids) {
      const delivery = await fixture.delivery(id);
      expect(delivery).toMatchObject({ state: 'pending', attempts: 0, lease_id: null });
      expect(delivery.wait_ms).toBeGreaterThan(0);
      expect(await fixture.overdueSince(id)).not.toBeNull();
    }
    expect(await release()).toMatchObject({ released: 0 });
    await fixture.makeDue(...ids);
    expect(await release()).toMatchObject({ released: 3 });
  });

  test.each(['timeout', 'closed'] as const)(
    'keep their lease if the broker may have accepted them: %s',
    async (failure) => {
      const { ids } = await fixture.companyWith(2);
      expect(await release(failure)).toMatchObject({ released: 0, failed: 2 });
      for (const id of ids) expect((await fixture.delivery(id)).lease_id).not.toBeNull();
    },
  );

  test('of a paused subscription are released only if they are tests, and of a deleted one never', async () => {
    const { subscriptionId, ids } = await fixture.companyWith(3);
    await fixture.setState(subscriptionId, 'paused');
    const [, test] = ids;
    await fixture.set('deliveries', test, 'is_test = true');
    const { publisher } = await release();
    expect(commandsIn(publisher).flat()).toMatchObject([{ deliveryId: test }]);
    expect(await release()).toMatchObject({ released: 0 });

    await fixture.makeDue(test);
    await endExpiredLeases(fixture.database);
    await fixture.set('subscriptions', subscriptionId, 'deleted_at = now()');
    expect(await release()).toMatchObject({ released: 0 });
  });
});
