import { describe, expect, test } from '@jest/globals';
import { client, fixture } from '../../testing/file-subscriptions.js';
import { failureOf } from '../../testing/subscription-fixture.js';
import { attemptedMessage } from '../../testing/webhook-fixture.js';
import type { SubscriptionOfCompany } from './get-subscription.js';

describe('a webhook that no one has the secret of', () => {
  const unshown = async () => {
    const companyId = await fixture.company();
    const webhook = { url: 'https://receiver.example/hooks', events: ['install.*'] };
    const { id: subscriptionId } = await client.configure({ companyId }, { kind: 'create', webhook });
    expect((await client.getSubscription({ companyId, subscriptionId })).secretShown).toBe(false);
    return { companyId, subscriptionId };
  };
  const refusal = async (of: SubscriptionOfCompany) => {
    const { reason, message } = await failureOf(client.activateSubscription(of));
    expect(reason).toBe('test_delivery_required');
    return message;
  };

  test('is not activated; a rotation replaces a secret that was never shown at once [SECRET-11]', async () => {
    const of = await unshown();
    await fixture.tested(of);
    expect(await refusal(of)).toContain('rotate the secret');
    const rotated = await client.rotateSecret(of);
    expect(rotated).toMatchObject({
      pendingSecretVersion: 2,
      secret: expect.stringMatching(/^whsec_/),
      subscription: { secretVersion: 2, pendingSecretVersion: null, secretShown: true },
    });
    await client.sendTestDelivery(of);
    expect((await fixture.claim()).map(({ secretVersion }) => secretVersion)).toEqual([2]);
    expect(await client.activateSecret({ ...of, pendingSecretVersion: 2 })).toEqual(rotated.subscription);
    expect(await client.activateSubscription(of)).toMatchObject({ state: 'active', secretVersion: 2 });
    const later = await client.rotateSecret(of);
    expect(later.subscription).toMatchObject({ secretVersion: 2, pendingSecretVersion: 3 });
  });

  test.each([
    ['the pending secret', 0],
    ['a pending secret that was replaced', 1],
  ])('is not activated if only %s has signed an accepted test [SECRET-11]', async (_what, later) => {
    const of = await fixture.created(await fixture.company());
    const accepted = async (secretVersion: number) => {
      const { id } = await client.sendTestDelivery({ ...of, secretVersion });
      const { leaseId = '' } = (await fixture.claim()).find((claimed) => claimed.id === id) ?? {};
      await fixture.handle(attemptedMessage({ deliveryId: id, leaseId, secretVersion }));
    };
    await client.rotateSecret(of);
    await accepted(2);
    for (let rotation = 0; rotation < later; rotation += 1) await client.rotateSecret(of);
    expect(await refusal(of)).toContain('version 2 of the secret, but deliveries are signed with version 1');
    if (later === 0) await client.activateSecret({ ...of, pendingSecretVersion: 2 });
    else await accepted(1);
    expect(await client.activateSubscription(of)).toMatchObject({
      state: 'active',
      secretVersion: later === 0 ? 2 : 1,
    });
  });

  test('is activated if the current secret was accepted, whatever the pending one was [SECRET-11]', async () => {
    const of = await fixture.created(await fixture.company());
    await fixture.tested(of);
    await client.rotateSecret(of);
    const { id } = await client.sendTestDelivery({ ...of, secretVersion: 2 });
    const { leaseId = '' } = (await fixture.claim()).find((claimed) => claimed.id === id) ?? {};
    await fixture.handle(attemptedMessage({ deliveryId: id, leaseId, secretVersion: 2 }));
    expect(await client.activateSubscription(of)).toMatchObject({ state: 'active', secretVersion: 1 });
  });
});
