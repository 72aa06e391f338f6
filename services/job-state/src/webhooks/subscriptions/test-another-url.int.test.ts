import { beforeEach, describe, expect, test } from '@jest/globals';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import { invariant } from '@partner/kernel/process/invariant';
import { HEADERS_VERSION, openSecret } from '@partner/kernel/security/secret-sealing';
import { client, fixture } from '../../testing/file-subscriptions.js';
import { failureOf, type SubscriptionFixture } from '../../testing/subscription-fixture.js';
import { attemptedMessage } from '../../testing/webhook-fixture.js';
import type { SubscriptionOfCompany } from './get-subscription.js';

const companyClass = 'INSTALLER';
const OTHER = 'https://next.receiver.example/hooks/v2';

beforeEach(() => {
  fixture.now = new Date();
});

type Test = Omit<Parameters<SubscriptionFixture['client']['sendTestDelivery']>[0], 'companyId'>;

/** Sends a test, and returns the delivery with the command for its attempt. */
async function sent(of: SubscriptionOfCompany, fields: Test) {
  const delivery = await client.sendTestDelivery({ ...of, ...fields });
  const command = (await fixture.claim()).find(({ id }) => id === delivery.id);
  invariant(command, 'the test is due');
  return { delivery, command };
}

/** Tests another URL, and reports the outcome as the dispatcher does. */
async function tested(of: SubscriptionOfCompany, fields: Test = {}, outcome = AttemptOutcome.DELIVERED) {
  const { delivery, command } = await sent(of, { url: OTHER, ...fields });
  const { leaseId, urlVersion, secretVersion } = command;
  const attempt = { deliveryId: delivery.id, leaseId, outcome, urlVersion, secretVersion };
  await fixture.handle(attemptedMessage(attempt));
  return delivery.id;
}

const switched = (of: SubscriptionOfCompany, url = OTHER) =>
  client.updateSubscription({ ...of, companyClass, url });

describe('a test of another URL', () => {
  test('goes there once, with only the headers that it names, on the same host too [WEBHOOK-15]', async () => {
    const of = await fixture.activated(await fixture.company());
    const { subscriptionId } = of;
    const headers = [{ name: 'x-tenant', value: 'west' }];
    const before = await client.updateSubscription({ ...of, companyClass, headers });
    const headersOf = ({ sealedHeaders }: { readonly sealedHeaders: Buffer | null }) =>
      sealedHeaders &&
      openSecret(
        fixture.deps.sealingKeys,
        { ownerId: subscriptionId, version: HEADERS_VERSION },
        sealedHeaders,
      );

    const given = await sent(of, {
      url: OTHER.toUpperCase().replace('HTTPS', 'https').replace('/HOOKS/V2', '/hooks/v2'),
      headers: [{ name: 'X-Tenant', value: 'east' }],
    });
    expect(given.delivery).toMatchObject({ isTest: true, testUrl: 'https://next.receiver.example/ho…' });
    expect(given.command).toMatchObject({ url: OTHER, isTest: true, number: null, secretVersion: 1 });
    expect(headersOf(given.command)).toBe('{"x-tenant":"east"}');
    const none = await sent(of, { url: new URL('/v2', before.url).href });
    expect(headersOf(none.command)).toBeNull();
    const current = await sent(of, {});
    expect(current.command.url).toBe(before.url);
    expect(headersOf(current.command)).toBe('{"x-tenant":"west"}');

    const refused = await tested(of, {}, AttemptOutcome.REJECTED);
    expect(await fixture.delivery(refused)).toMatchObject({ state: 'cancelled', attempts: 1 });
    expect(await client.getSubscription(of)).toMatchObject({ failuresInRow: 0, url: before.url });
    const audited = await fixture.database.query(
      `select details from audit_entries where subject_id = $1 and action = 'webhook.tested' order by id desc limit 1`,
      [subscriptionId],
    );
    expect(audited).toMatchObject([{ details: { deliveryId: refused, url: OTHER } }]);
    const stored = await fixture.database.query('select to_jsonb(t)::text as text from audit_entries t');
    expect(JSON.stringify([stored, fixture.logLines])).not.toContain('east');
  });

  test('does not verify the current URL [WEBHOOK-15]', async () => {
    const of = await fixture.created(await fixture.company());
    await tested(of);
    expect(await client.getSubscription(of)).toMatchObject({ verified: false });
    expect((await failureOf(client.activateSubscription(of))).reason).toBe('test_delivery_required');
  });

  test.each([
    ['the current URL', { url: 'https://RECEIVER.example/hooks' }, 'url'],
    ['a URL that the dispatcher refuses', { url: 'https://10.0.0.1/' }, 'url'],
    ['headers alone', { headers: [{ name: 'x-tenant', value: 'east' }] }, 'headers'],
    ['a header of spaces', { url: OTHER, headers: [{ name: 'x-tenant', value: ' ' }] }, 'headers.0.value'],
  ])('is refused for %s, and sends nothing [WEBHOOK-15]', async (_what, fields, path) => {
    const of = await fixture.activated(await fixture.company());
    const before = await fixture.deliveriesOf(of.subscriptionId);
    expect(await failureOf(client.sendTestDelivery({ ...of, ...fields }))).toMatchObject({
      reason: 'invalid_argument',
      attributes: { details: [{ path }] },
    });
    expect(await fixture.deliveriesOf(of.subscriptionId)).toEqual(before);
  });
});

describe('a switch to a URL that accepted a test', () => {
  test('keeps an active subscription active, and a paused one paused but verified [WEBHOOK-16]', async () => {
    const companyId = await fixture.company();
    const [active, paused] = [await fixture.activated(companyId), await fixture.created(companyId)];
    for (const of of [active, paused]) await tested(of);
    expect(await switched(active)).toMatchObject({ url: OTHER, state: 'active', verified: true });
    expect(await switched(paused)).toMatchObject({ url: OTHER, state: 'paused', verified: true });
    expect(await client.activateSubscription(paused)).toMatchObject({ state: 'active' });
  });

  const age = (id: string, minutes: number) =>
    fixture.database.query(
      `update finished_deliveries set finished_at = now() - make_interval(secs => $2) where id = $1`,
      [id, minutes * 60 - 5],
    );

  test.each([
    ['at the end of the time', WEBHOOK_LIMITS.testedUrlMinutes, 'active'],
    ['later', WEBHOOK_LIMITS.testedUrlMinutes + 1, 'paused'],
  ])('counts for 15 minutes: %s [WEBHOOK-16]', async (_when, minutes, state) => {
    const of = await fixture.activated(await fixture.company());
    await age(await tested(of), minutes);
    expect(await switched(of)).toMatchObject({ state, verified: state === 'active' });
  });

  test('pauses if the test was refused, wrongly signed, of another URL, secret or webhook, or an ordinary one [WEBHOOK-16]', async () => {
    const companyId = await fixture.company();
    const other = await fixture.created(companyId);
    const tests: Readonly<Record<string, (of: SubscriptionOfCompany) => Promise<unknown>>> = {
      refused: (of) => tested(of, {}, AttemptOutcome.TIMED_OUT),
      pending: (of) => sent(of, { url: OTHER }),
      'wrongly signed': (of) => tested(of, { wrongSignature: true }),
      'of another URL': (of) => tested(of, { url: `${OTHER}/` }),
      'of another webhook': () => tested(other),
      ordinary: (of) => fixture.tested(of),
      async 'signed with a pending secret'(of) {
        await client.rotateSecret(of);
        await tested(of, { secretVersion: 2 });
      },
      async 'signed with the former secret'(of) {
        await tested(of);
        await client.rotateSecret(of);
        await client.activateSecret({ ...of, pendingSecretVersion: 2 });
      },
    };
    for (const [name, test] of Object.entries(tests)) {
      const of = await fixture.activated(companyId);
      await test(of);
      expect([name, await switched(of)]).toMatchObject([name, { state: 'paused', verified: false }]);
    }
  });

  test('needs the stored headers again on another host, as without a test [WEBHOOK-14]', async () => {
    const of = await fixture.activated(await fixture.company());
    const headers = [{ name: 'x-tenant', value: 'west' }];
    await client.updateSubscription({ ...of, companyClass, headers });
    await tested(of, { headers: [{ name: 'x-tenant', value: 'east' }] });
    expect(await failureOf(switched(of))).toMatchObject({ attributes: { details: [{ path: 'headers' }] } });
    expect(await client.updateSubscription({ ...of, companyClass, url: OTHER, headers })).toMatchObject({
      state: 'active',
      verified: true,
      headerNames: ['x-tenant'],
    });
  });
});
