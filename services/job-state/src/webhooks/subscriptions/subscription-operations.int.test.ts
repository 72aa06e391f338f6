import { describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { openSecret, PRIVATE_KEY_VERSION } from '@partner/kernel/security/secret-sealing';
import { publicKeyOf } from '@partner/kernel/security/signing-keys';
import { client, fixture } from '../../testing/file-subscriptions.js';
import { failureOf, watchTransactions } from '../../testing/subscription-fixture.js';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import { installerOwner } from '../../testing/callers.js';
import { TEST_SEALING_KEYS } from '../../testing/test-sealing-keys.js';
import { createSubscription } from './create-subscription.js';
import { sealedPrivateKeys } from '../deliveries/signing-keys.js';

describe('CreateSubscription', () => {
  test('creates a paused subscription at the normalised URL, with a secret that is stored sealed [SECRET-7, WEBHOOK-1, WEBHOOK-4, WEBHOOK-11]', async () => {
    const companyId = await fixture.company();
    const response = await client.createSubscription({
      companyId,
      companyClass: 'INSTALLER',
      url: 'https://Receiver.example/hooks',
      events: ['install.status_changed', 'install.test', 'install.status_changed'],
      description: 'our dispatch board',
    });
    expect(response.subscription).toMatchObject({
      url: 'https://receiver.example/hooks',
      description: 'our dispatch board',
      events: ['install.status_changed', 'install.test'],
      schemaVersion: 1,
      state: 'paused',
      health: 'healthy',
      secretVersion: 1,
      verified: false,
    });
    expect(response.subscription.pendingSecretVersion).toBeNull();
    expect(response.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);

    const subscriptionId = response.subscription.id;
    const [stored] = await fixture.database.query<{ sealed: Buffer }>(
      'select sealed from subscription_secrets where subscription_id = $1 and version = 1',
      [subscriptionId],
    );
    invariant(stored, 'the secret is kept');
    expect(openSecret(fixture.deps.sealingKeys, { ownerId: subscriptionId, version: 1 }, stored.sealed)).toBe(
      response.secret,
    );
    expect(fixture.logLines).toContainEqual([
      expect.objectContaining({ subscriptionId, companyId }),
      'subscription.created',
    ]);
    expect(JSON.stringify(fixture.logLines)).not.toContain('whsec_');
    expect(await client.getSubscription({ companyId, subscriptionId })).toMatchObject(response.subscription);
  });

  test('rejects a disallowed event before it checks the URL', async () => {
    const companyId = await fixture.company('SALES');
    fixture.dispatcher.calls.length = 0;
    const events = ['quote.sent', 'install.status_changed'];
    const request = { companyId, companyClass: 'SALES', url: 'https://receiver.example/', events } as const;
    expect(await failureOf(client.createSubscription(request))).toMatchObject({
      reason: 'invalid_argument',
      attributes: { details: [{ path: 'events.1' }] },
    });
    expect(fixture.dispatcher.calls).toEqual([]);
  });

  test('is unavailable while the dispatcher is down, like a change of the URL, and changes nothing', async () => {
    const of = await fixture.created(await fixture.company());
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
    const toCreate = {
      ...request,
      companyClass: 'INSTALLER',
      actor: installerOwner(companyId),
      timeoutMs: () => leftMs,
    } as const;
    fixture.dispatcher.onCall = () => {
      leftMs = -1;
    };
    const failure = await failureOf(createSubscription(fixture.deps, toCreate));
    fixture.dispatcher.onCall = () => undefined;
    expect(failure).toMatchObject({
      reason: 'unavailable',
      message: expect.stringContaining('nothing was created'),
    });
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
    expect(await failureOf(create())).toMatchObject({
      reason: 'invalid_argument',
      attributes: { details: [{ path: 'description', message: expect.stringContaining('whk_') }] },
    });
  });

  test('stops at the limit, also for concurrent requests [WEBHOOK-9]', async () => {
    const companyId = await fixture.company();
    for (let made = 2; made < WEBHOOK_LIMITS.subscriptionsPerCompany; made += 1)
      await fixture.subscription({ companyId });
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => fixture.created(companyId)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    fixture.dispatcher.calls.length = 0;
    expect(await failureOf(fixture.created(companyId))).toMatchObject({
      reason: 'subscription_limit_reached',
      message: expect.stringContaining(
        `at most ${WEBHOOK_LIMITS.subscriptionsPerCompany} webhook subscriptions`,
      ),
    });
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

describe('another company', () => {
  test('finds nothing of a company by any operation, and changes nothing', async () => {
    const of = await fixture.activated(await fixture.company());
    const stranger = { companyId: await fixture.company(), subscriptionId: of.subscriptionId };
    const subscription = await rowOf(of);
    fixture.dispatcher.calls.length = 0;

    const calls = {
      getSubscription: () => client.getSubscription(stranger),
      updateSubscription: () =>
        client.updateSubscription({
          ...stranger,
          companyClass: 'INSTALLER',
          url: 'https://receiver.example/theirs',
        }),
      deleteSubscription: () => client.deleteSubscription(stranger),
      sendTestDelivery: () =>
        client.sendTestDelivery({ ...stranger, url: 'https://receiver.example/theirs' }),
      activateSubscription: () => client.activateSubscription({ ...stranger, backfill: true }),
      pauseSubscription: () => client.pauseSubscription(stranger),
      rotateSecret: () => client.rotateSecret(stranger),
      activateSecret: () => client.activateSecret({ ...stranger, pendingSecretVersion: 1 }),
      configure: () =>
        client.configure(stranger, {
          kind: 'delete',
          id: of.subscriptionId,
          updatedAt: '2026-08-26T14:03:00.000Z',
        }),
    };
    const others = ['checkUrl', 'createSubscription', 'listSubscriptions', 'listWhole', 'readKeys'];
    expect([...Object.keys(calls), ...others].sort()).toEqual(Object.keys(client).sort());
    for (const call of Object.values(calls)) expect((await failureOf(call())).reason).toBe('not_found');
    expect((await client.listSubscriptions({ companyId: stranger.companyId })).subscriptions).toEqual([]);
    expect(await rowOf(of)).toEqual(subscription);
    expect(fixture.dispatcher.calls).toEqual([]);
    const events = await fixture.database.query('select 1 from events where company_id = $1', [
      stranger.companyId,
    ]);
    expect(events).toEqual([]);
  });
});

/** A stored subscription with its secrets. */
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
    const given: Parameters<Parameters<typeof watchTransactions>[1]>[0][] = [];
    const watched = fixture.clientWith({
      database: watchTransactions(fixture.database, (limits) => given.push(limits)),
    });
    const companyId = await fixture.company();
    const { subscriptionId } = await fixture.created(companyId);
    const actor = { membershipId: 'mem_ada' };
    const of = { companyId, subscriptionId, actor };
    const url = 'https://receiver.example/2';
    fixture.logLines.length = 0;

    const limits = { timeoutMs: 60_000 };
    await watched.createSubscription({ companyId, actor, url, events: ['install.*'] }, limits);
    await watched.sendTestDelivery(of, limits);
    await fixture.tested({ companyId, subscriptionId });
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
      expect(fields).toMatchObject({ subscriptionId, companyId, membershipId: 'mem_ada' });
    }
    expect(JSON.stringify(fixture.logLines)).not.toContain('whsec_');
  });
});

test('each subscription has its own public keys, one of each signing key, of which the first signs; it need not exist [SECRET-14]', async () => {
  const [own, none] = [(await fixture.created(await fixture.company())).subscriptionId, newId('whk')];
  const keys = new Map([['new', Buffer.alloc(32, 1)], ...TEST_SEALING_KEYS.keys]);
  const signingKeys = { currentKeyId: 'new', keys };
  const sealed = sealedPrivateKeys({
    WEBHOOK_SIGNING_KEYS: signingKeys,
    WEBHOOK_SEALING_KEYS: TEST_SEALING_KEYS,
  });
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
  const of = await fixture.created(await fixture.company());
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
