import { describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { openSecret, PRIVATE_KEY_VERSION } from '@partner/kernel/security/secret-sealing';
import { publicKeyOf } from '@partner/kernel/security/signing-keys';
import { client, fixture } from '../../testing/file-subscriptions.js';
import { failureOf } from '../../testing/subscription-fixture.js';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import { eventually } from '@partner/test-kit/eventually';
import { installerOwner } from '../../testing/callers.js';
import { createGate } from '../../testing/create-gate.js';
import { TEST_SEALING_KEYS } from '../../testing/test-sealing-keys.js';
import type { Database } from '../../database/database.js';
import { createSubscription } from './create-subscription.js';
import type { SubscriptionOfCompany } from './get-subscription.js';
import { sealedPrivateKeys } from '../deliveries/signing-keys.js';

describe('CreateSubscription', () => {
  test('creates a paused subscription at the normalised URL, with a secret that is stored sealed [SECRET-7, WEBHOOK-1, WEBHOOK-4, WEBHOOK-11]', async () => {
    const companyId = await fixture.company();
    const events = ['install.status_changed', 'install.test', 'install.status_changed'];
    const webhook = { url: 'https://Receiver.example/hooks', description: 'our dispatch board', events };
    const response = await client.createSubscription({ companyId, ...webhook });
    expect(response.subscription).toMatchObject({
      ...{ ...webhook, url: 'https://receiver.example/hooks', events: events.slice(0, 2) },
      ...{ schemaVersion: 1, state: 'paused', health: 'healthy', verified: false },
      ...{ secretVersion: 1, pendingSecretVersion: null },
    });
    expect(response.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    fixture.dispatcher.calls.length = 0;
    const ofSales = client.createSubscription({ companyId, companyClass: 'SALES', ...webhook });
    const refused = { details: [{ path: 'events.0' }, { path: 'events.2' }] };
    expect(await failureOf(ofSales)).toMatchObject({ reason: 'invalid_argument', attributes: refused });
    expect(fixture.dispatcher.calls).toEqual([]);

    const subscriptionId = response.subscription.id;
    const [stored] = await fixture.secretsOf({ subscriptionId });
    const owner = { ownerId: subscriptionId, version: 1 };
    const { sealingKeys } = fixture.deps;
    expect(openSecret(sealingKeys, owner, stored?.sealed ?? Buffer.of())).toBe(response.secret);
    expect(fixture.logLines).toContainEqual([
      expect.objectContaining({ subscriptionId, companyId }),
      'subscription.created',
    ]);
    expect(JSON.stringify(fixture.logLines)).not.toContain('whsec_');
    expect(await client.getSubscription({ companyId, subscriptionId })).toMatchObject(response.subscription);
  });

  test('is unavailable while the dispatcher is down, like a change of the URL, and changes nothing', async () => {
    const of = await fixture.newlyCreated();
    const { subscriptions } = await client.listSubscriptions(of);
    const url = 'https://receiver.example/v2';
    fixture.dispatcher.isAway = true;
    const failures = await Promise.all(
      [fixture.created(of.companyId), client.updateSubscription({ ...of, url })].map(failureOf),
    );
    fixture.dispatcher.isAway = false;
    const unavailable = { reason: 'unavailable', attributes: { retryAfterSeconds: 1 } };
    expect(failures).toMatchObject([unavailable, unavailable]);
    expect((await client.listSubscriptions(of)).subscriptions).toEqual(subscriptions);
  });

  test("checks the URL for less time than its caller's deadline, and creates nothing after the deadline", async () => {
    const companyId = await fixture.company();
    const request = { companyId, url: 'https://receiver.example/', events: ['install.*'] };
    await client.createSubscription(request, { timeoutMs: 60_000 });
    expect(fixture.dispatcher.timeLeftMs).toBeGreaterThan(0);
    expect(fixture.dispatcher.timeLeftMs).toBeLessThanOrEqual(59_500);

    let leftMs = 5_000;
    const caller = { companyClass: 'INSTALLER', actor: installerOwner(companyId) } as const;
    const toCreate = { ...request, ...caller, timeoutMs: () => leftMs };
    fixture.dispatcher.onCall = () => {
      leftMs = -1;
    };
    const failure = await failureOf(createSubscription(fixture.deps, toCreate));
    fixture.dispatcher.onCall = () => undefined;
    const message = expect.stringContaining('nothing was created');
    expect(failure).toMatchObject({ reason: 'unavailable', message });
    expect((await client.listSubscriptions({ companyId })).subscriptions).toHaveLength(1);
  });

  test('creates one of several concurrent subscriptions whose description must be unique [CONFIG-3]', async () => {
    const companyId = await fixture.company();
    const webhook = { url: 'https://receiver.example/', events: ['install.*'], description: 'Board' };
    const create = () =>
      client.configure({ companyId }, { kind: 'create', webhook: { ...webhook, deliveriesPerSecond: 7 } });
    const outcomes = await Promise.allSettled([create(), create(), create()]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { subscriptions } = await client.listWhole({ companyId });
    expect(subscriptions).toMatchObject([{ ...webhook, deliveriesPerSecond: 7, secretShown: false }]);
    const details = [{ path: 'description', message: expect.stringContaining('whk_') }];
    const refusal = { reason: 'invalid_argument', attributes: { details } };
    expect(await failureOf(create())).toMatchObject(refusal);
  });

  test('stops at the limit, also for concurrent requests [WEBHOOK-9]', async () => {
    const companyId = await fixture.company();
    for (let made = 2; made < WEBHOOK_LIMITS.subscriptionsPerCompany; made += 1)
      await fixture.subscription({ companyId });
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => fixture.created(companyId)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    fixture.dispatcher.calls.length = 0;
    const limit = `at most ${WEBHOOK_LIMITS.subscriptionsPerCompany} webhook subscriptions`;
    const refusal = { reason: 'subscription_limit_reached', message: expect.stringContaining(limit) };
    expect(await failureOf(fixture.created(companyId))).toMatchObject(refusal);
    expect(fixture.dispatcher.calls).toEqual([]);
    const { subscriptions } = await client.listSubscriptions({ companyId });
    const ids = subscriptions.map(({ id }) => id);
    expect(ids).toHaveLength(WEBHOOK_LIMITS.subscriptionsPerCompany);
    expect(ids).toEqual([...ids].sort());
  });

  test('is not found for an unknown company', async () => {
    expect(await failureOf(fixture.created(newId('cmp')))).toMatchObject({ reason: 'not_found' });
  });
});

/** The operations that name a subscription. */
const calls = (of: SubscriptionOfCompany) => ({
  getSubscription: () => client.getSubscription(of),
  updateSubscription: () => client.updateSubscription({ ...of, url: 'https://receiver.example/theirs' }),
  deleteSubscription: () => client.deleteSubscription(of),
  sendTestDelivery: () => client.sendTestDelivery({ ...of, url: 'https://receiver.example/theirs' }),
  activateSubscription: () => client.activateSubscription({ ...of, backfill: true }),
  pauseSubscription: () => client.pauseSubscription(of),
  rotateSecret: () => client.rotateSecret(of),
  activateSecret: () => client.activateSecret({ ...of, pendingSecretVersion: 1 }),
  configure: () =>
    client.configure(of, { kind: 'delete', id: of.subscriptionId, updatedAt: '2026-08-26T14:03:00.000Z' }),
});

test('another company finds nothing of a company by any operation, and changes nothing', async () => {
  const of = await fixture.newlyActivated();
  const stranger = { companyId: await fixture.company(), subscriptionId: of.subscriptionId };
  const subscription = await rowOf(of);
  fixture.dispatcher.calls.length = 0;
  const others = ['checkUrl', 'createSubscription', 'listSubscriptions', 'listWhole', 'readKeys'];
  expect([...Object.keys(calls(of)), ...others].sort()).toEqual(Object.keys(client).sort());
  for (const call of Object.values(calls(stranger)))
    expect((await failureOf(call())).reason).toBe('not_found');
  expect((await client.listSubscriptions({ companyId: stranger.companyId })).subscriptions).toEqual([]);
  expect(await rowOf(of)).toEqual(subscription);
  expect(fixture.dispatcher.calls).toEqual([]);
  const recorded = 'select 1 from events where company_id = $1';
  expect(await fixture.database.query(recorded, [stranger.companyId])).toEqual([]);
});

test('a deletion leaves nothing to its owner but a free slot for another subscription [WEBHOOK-8]', async () => {
  const of = await fixture.newlyActivated();
  const { companyId } = of;
  for (let made = 1; made < WEBHOOK_LIMITS.subscriptionsPerCompany; made += 1)
    await fixture.subscription({ companyId });
  expect((await failureOf(fixture.created(companyId))).reason).toBe('subscription_limit_reached');
  await client.rotateSecret(of);
  await client.deleteSubscription(of);
  for (const call of Object.values(calls(of))) expect((await failureOf(call())).reason).toBe('not_found');
  const { subscriptions } = await client.listSubscriptions({ companyId });
  expect(subscriptions).toHaveLength(WEBHOOK_LIMITS.subscriptionsPerCompany - 1);
  expect(subscriptions.map(({ id }) => id)).not.toContain(of.subscriptionId);
  await fixture.created(companyId);
  expect(await fixture.secretsOf(of)).toEqual([]);
});

function rowOf({ subscriptionId }: { subscriptionId: string }) {
  return fixture.database.query(
    `select s.*, array(select secret from subscription_secrets secret where secret.subscription_id = s.id) as secrets
     from subscriptions s where s.id = $1`,
    [subscriptionId],
  );
}

describe('the health of a subscription', () => {
  test.each([
    { failed: 3, delivered: 2, minutesAgo: 50, health: 'degraded' },
    { failed: 3, delivered: 3, minutesAgo: 50, health: 'healthy' },
    { failed: 2, delivered: 0, minutesAgo: 50, health: 'healthy' },
    { failed: 9, delivered: 0, minutesAgo: 65, health: 'healthy' },
  ])(
    'with $failed failed and $delivered delivered attempts, $minutesAgo minutes ago, is $health [DELIVERY-12]',
    async ({ failed, delivered, minutesAgo, health }) => {
      const companyId = await fixture.company();
      const { subscriptionId } = await fixture.created(companyId);
      // In two parts, which count together.
      await fixture.database.query(
        `insert into delivery_statistics (subscription_id, starts_at, delivered, failed, dead_lettered, durations)
         select $1, now() - make_interval(mins => $2 - part), case part when 0 then $3 else 0 end, case part when 0 then 0 else $4 end, 0, array_fill(0, array[15])
         from generate_series(0, 1) as part`,
        [subscriptionId, minutesAgo, delivered, failed],
      );
      expect(await client.getSubscription({ companyId, subscriptionId })).toMatchObject({ health });
      const { subscriptions } = await client.listSubscriptions({ companyId });
      expect(subscriptions).toMatchObject([{ health }]);
    },
  );
});

describe('an operation that writes', () => {
  test("takes a slot of its company only, ends by its caller's deadline, and logs its caller", async () => {
    const given: Parameters<Database['transaction']>[1][] = [];
    const transaction: Database['transaction'] = (work, limits) => {
      given.push(limits);
      return fixture.database.transaction(work, limits);
    };
    const watched = fixture.clientWith({ database: { ...fixture.database, transaction } });
    const created = await fixture.newlyCreated();
    const actor = { membershipId: 'mem_ada' };
    const of = { ...created, actor };
    const { companyId } = created;
    const url = 'https://receiver.example/2';
    fixture.logLines.length = 0;

    const limits = { timeoutMs: 60_000 };
    await watched.createSubscription({ companyId, actor, url, events: ['install.*'] }, limits);
    await watched.sendTestDelivery(of, limits);
    await fixture.tested(created);
    await watched.activateSubscription(of, limits);
    await watched.pauseSubscription(of, limits);
    await watched.updateSubscription({ ...of, url, events: ['install.test'] }, limits);
    await watched.rotateSecret(of, limits);
    await watched.activateSecret({ ...of, pendingSecretVersion: 2 }, limits);
    await watched.deleteSubscription(of, limits);

    expect(given).toHaveLength(8);
    for (const each of given) {
      expect(each?.companyId).toBe(companyId);
      expect(each?.timeoutMs).toBeLessThanOrEqual(60_000);
    }
    const lines = fixture.logLines.filter(([fields]) => JSON.stringify(fields).includes('mem_ada'));
    expect(lines.map(([, message]) => message)).toEqual([
      'subscription.created',
      'subscription.test_queued',
      'subscription.activated',
      'subscription.paused',
      'subscription.updated',
      'subscription.secret_rotated',
      'subscription.secret_activated',
      'subscription.deleted',
    ]);
    for (const [fields] of lines.slice(1)) {
      expect(fields).toMatchObject({ ...created, ...actor });
    }
    expect(JSON.stringify(fixture.logLines)).not.toContain('whsec_');
  });
});

test('each subscription has its own public keys, one of each signing key, of which the first signs; it need not exist [SECRET-14]', async () => {
  const [own, none] = [(await fixture.newlyCreated()).subscriptionId, newId('whk')];
  const keys = new Map([['new', Buffer.alloc(32, 1)], ...TEST_SEALING_KEYS.keys]);
  const signingKeys = { currentKeyId: 'new', keys };
  const config = { WEBHOOK_SIGNING_KEYS: signingKeys, WEBHOOK_SEALING_KEYS: TEST_SEALING_KEYS };
  const sealed = sealedPrivateKeys(config);
  const rotating = fixture.clientWith({ signingKeys });
  for (const id of [own, none]) {
    const [former] = (await client.readKeys(id)).keys;
    const [current, ...others] = (await rotating.readKeys(id)).keys;
    expect(former).toEqual({ publicKey: expect.stringMatching(/^whpk_/), signs: true });
    expect(others).toEqual([{ ...former, signs: false }]);
    const owner = { ownerId: id, version: PRIVATE_KEY_VERSION };
    const signing = openSecret(TEST_SEALING_KEYS, owner, sealed(id) ?? Buffer.of());
    expect(current).toEqual({ publicKey: publicKeyOf(signing), signs: true });
  }
  expect(await client.readKeys(own)).not.toEqual(await client.readKeys(none));
  expect(await failureOf(client.readKeys('whk_1'))).toHaveProperty('reason', 'not_found');
});

test('asymmetric signatures can be turned on and off, and without signing keys not on [SECRET-13]', async () => {
  const of = await fixture.newlyCreated();
  const without = fixture.clientWith({ signingKeys: undefined });
  const turn = (through: typeof client, asymmetricSignature: boolean) =>
    through.updateSubscription({ ...of, companyClass: 'INSTALLER', asymmetricSignature });
  expect(await client.getSubscription(of)).toMatchObject({ asymmetricSignature: false });
  const refusal = { attributes: { details: [{ path: 'asymmetricSignature' }] } };
  expect(await failureOf(turn(without, true))).toMatchObject(refusal);
  const wanted = { url: 'https://receiver.example/hooks', events: ['install.*'], asymmetricSignature: true };
  const created = (through: typeof client) =>
    through.createSubscription({ companyId: of.companyId, ...wanted });
  expect(await failureOf(created(without))).toMatchObject(refusal);
  expect((await created(client)).subscription).toMatchObject({ asymmetricSignature: true });
  expect(await turn(client, true)).toMatchObject({ asymmetricSignature: true });
  expect(await turn(without, false)).toMatchObject({ asymmetricSignature: false });
  expect(await without.readKeys(of.subscriptionId)).toEqual({ keys: [] });
});

describe('checkUrl', () => {
  const companyId = newId('cmp');

  test('allows the URLs that the creation accepts', async () => {
    const url = 'https://Receiver.example/hooks';
    fixture.dispatcher.calls.length = 0;
    // The dispatcher is called for a valid URL only.
    await client.checkUrl({ companyId, url: 'http://receiver.example/' });
    expect(await client.checkUrl({ companyId, url })).toEqual({ ok: true });
    expect(fixture.dispatcher.calls).toEqual([url]);
  });

  test.each([
    '',
    'nothing',
    'http://receiver.example/',
    'https://receiver.example:8443/',
    'https://me@receiver.example/',
    'https://receiver.example/a b',
    `https://receiver.example/${'x'.repeat(2_048)}`,
    'https://inside.example/',
  ])('refuses %j in the words of the creation', async (url) => {
    const webhook = { companyId: await fixture.company(), url, events: ['install.*'] };
    const { message } = await failureOf(client.createSubscription(webhook));
    const { ok, reason = '' } = await client.checkUrl({ companyId, url });
    expect(ok).toBe(false);
    expect(message).toContain(`url: ${reason}`);
  });

  test('gives one company at most half of the URL checks, and serves another [LIMIT-8]', async () => {
    const url = 'https://receiver.example/';
    const held = createGate();
    let holding = 0;
    fixture.dispatcher.onCall = () => {
      holding += 1;
      return held.opened;
    };
    const hostile = Array.from({ length: 110 }, () => client.checkUrl({ companyId, url }));
    const outcomes = Promise.allSettled(hostile);
    await eventually('the share of the company', () => holding === 20);
    fixture.dispatcher.onCall = () => undefined;
    expect(await client.checkUrl({ companyId: newId('cmp'), url })).toEqual({ ok: true });
    expect(holding).toBe(20);
    held.open();
    expect((await outcomes).filter(({ status }) => status === 'fulfilled')).toHaveLength(100);
  });
});
