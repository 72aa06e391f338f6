import { expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { manifest } from '@partner/proto-contracts/resources/manifest/manifest';
import { webhookKeys } from '@partner/proto-contracts/resources/webhook-sender/webhook-sender';
import { eventually } from '@partner/test-kit/eventually';
import { SEED, seededRandom } from '@partner/test-kit/seeded-random';
import { Webhook } from 'standardwebhooks';
import { addOwner } from '../support/companies.js';
import { createActiveSubscription, signIn } from '../support/owner-session.js';
import { isSignedBy, isSignedWith } from '../support/webhook-signatures.js';
import { expectError } from '../surfaces/send.js';
import { operationOf } from '../surfaces/surface-operations.js';
import type { AcceptanceWorld } from './acceptance-world.js';
import { requestsOf } from './requests-of.js';

const WRITES = 300;

/** Endpoint URLs, as an owner meets them, and a receiver that loses what it has accepted. */
export function describeWebhookSubscriptions(world: () => AcceptanceWorld): void {
  const { send, expectSuccess, valid } = requestsOf(world);

  test('refuses a URL that is not public and names the rule that it breaks [CONSOLE-4, URL-1, URL-2]', async () => {
    const owner = await signIn(world().stack.baseUrl, world().stack.company('INSTALLER').owner);
    const url = 'https://10.0.0.1/';
    const response = await owner.call('POST', '/partner-api/webhooks', { url, events: ['install.*'] });
    expect(expectError(response, 400, 'invalid_argument').error).toContain(
      'is not reachable from the internet',
    );
  });

  test('lets a receiver that loses 1 % of what it gets end, by manifest and replay alone, with every event exactly once, signed for stock verifiers [AUTH-7, DELIVERY-4, DELIVERY-11, DELIVERY-24, DELIVERY-25, REPLAY-6, REPLAY-7, SECRET-12, SERVICE-4]', async () => {
    const { stack, side } = world();
    const apiKey = side.keys['installer-company'];
    const owner = await addOwner(stack, side.installerId);
    const subscribed = { url: stack.receiverUrl, events: ['install.*'], asymmetricSignature: true };
    const { id, secret } = await createActiveSubscription(owner, subscribed);
    const { json } = await send({ method: 'GET', path: `/.well-known/webhooks/${id}` });
    const publicKey = webhookKeys.parse(json).keys[0]?.publicKey ?? '';
    const startedAt = new Date();
    for (let sent = 0; sent < WRITES; sent += 1)
      await expectSuccess(await valid(operationOf('recordStatusEvent')));

    const stored = new Map<string, number>();
    const random = seededRandom(`lost ${SEED}`);
    let [inspected, lost] = [0, 0];
    const store = () => {
      for (const webhook of stack.receiver.received.slice(inspected)) {
        inspected += 1;
        const sent = new Headers(
          Object.entries(webhook.headers).map(([name, value]) => [name, String(value)]),
        );
        if (sent.get('x-svc-subscription-id') !== id || sent.has('x-svc-test')) continue;
        new Webhook(secret).verify(webhook.body, Object.fromEntries(sent));
        expect(isSignedWith(secret, webhook) && isSignedBy(publicKey, webhook)).toBe(true);
        if (random() < 0.01) lost += 1;
        else stored.set(webhook.envelope.id, Number(sent.get('x-svc-number')));
      }
    };
    const entries = await eventually('the receiver has everything', async () => {
      const headers = { 'x-api-key': apiKey, 'idempotency-key': newId('evt') };
      const page = await send({ method: 'GET', path: `/partner/v1/webhooks/${id}/manifest`, headers });
      const verifier = new Webhook(`whsec_${Buffer.from(apiKey).toString('base64')}`);
      verifier.verify(page.text, Object.fromEntries(page.headers));
      const queued = manifest.parse(page.json).entries;
      store();
      const eventIds = queued.map(({ eventId }) => eventId).filter((eventId) => !stored.has(eventId));
      if (!queued.every(({ outcome }) => outcome === 'delivered')) return false;
      if (eventIds.length === 0) return queued;
      const replay = { method: 'POST', path: '/partner/v1/events/replay', headers };
      await send({ ...replay, body: { subscriptionId: id, eventIds } });
      return false;
    });
    expect(new Map(entries.map(({ eventId, number }) => [eventId, number]))).toEqual(stored);
    const recorded = await stack.database.query<{ id: string }>(
      `select id from events where company_id = $1 and name like 'install.%' and created_at >= $2`,
      [side.installerId, startedAt],
    );
    expect([...stored.keys()].sort()).toEqual(recorded.rows.map((event) => event.id).sort());
    expect([...stored.values()].sort((a, b) => a - b)).toEqual(recorded.rows.map((_, before) => before + 1));
    expect(lost).toBeGreaterThan(0);
  });
}
