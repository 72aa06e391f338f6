import { describe, expect, test } from '@jest/globals';
import type { Delivery } from '@partner/proto-contracts/resources/delivery/delivery';
import { invariant } from '@partner/kernel/process/invariant';
import { type Logger, silentLogger } from '@partner/kernel/telemetry/logger';
import { openSecret, type SealingKeys, sealSecret } from '@partner/kernel/security/secret-sealing';
import { Registry } from 'prom-client';
import { client, fixture } from '../../testing/file-subscriptions.js';
import { failureOf } from '../../testing/subscription-fixture.js';
import { attemptedMessage } from '../../testing/webhook-fixture.js';
import type { SubscriptionOfCompany } from './get-subscription.js';
import { createSecretMaintenance, startSecretMaintenance } from './maintain-secrets.js';

const HOUR_MS = 3_600_000;
const START = new Date('2026-08-26T14:03:00Z');
const FORMER = Buffer.alloc(32, 7);
const CURRENT = Buffer.alloc(32, 8);

async function openedSecret(of: SubscriptionOfCompany, version: number, keys = fixture.deps.sealingKeys) {
  const found = (await fixture.secretsOf(of)).find((secret) => secret.version === version);
  invariant(found, 'the secret is kept');
  return openSecret(keys, { ownerId: of.subscriptionId, version }, found.sealed);
}

/** The secret that the dispatcher gets for a due delivery. */
async function signedWith(delivery: Delivery, of: SubscriptionOfCompany) {
  const { secretVersion: version, sealedSecret } = await fixture.claimed(delivery);
  const owner = { ownerId: of.subscriptionId, version };
  return { version, secret: openSecret(fixture.deps.sealingKeys, owner, sealedSecret) };
}

const maintain = (sealingKeys: SealingKeys, at = START, warn: Logger['warn'] = () => undefined) =>
  createSecretMaintenance({
    ...{ database: fixture.database, sealingKeys, clock: () => at },
    logger: { info: () => undefined, warn },
  });

const ranWith = (sealingKeys: SealingKeys, metrics: Registry) =>
  startSecretMaintenance({
    ...{ database: fixture.database, sealingKeys, clock: () => START, logger: silentLogger, metrics },
    intervalMs: HOUR_MS,
  }).stop();

describe('a rotation of the secret', () => {
  test('creates a pending secret with the next version, shown once and stored sealed, and signs with the current one [SECRET-1, SECRET-3, SECRET-5, WEBHOOK-1]', async () => {
    const of = await fixture.newlyActivated();
    const { subscription, secret } = await client.rotateSecret(of);
    expect(subscription).toMatchObject({ secretVersion: 1, pendingSecretVersion: 2 });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await openedSecret(of, 2)).toBe(secret);
    expect(await openedSecret(of, 1)).not.toBe(secret);
    expect(await client.getSubscription(of)).toMatchObject(subscription);
    expect(await signedWith(await client.sendTestDelivery(of), of)).toMatchObject({ version: 1 });
    expect(JSON.stringify(fixture.logLines)).not.toContain('whsec_');
  });

  test('replaces an existing pending secret, with an unused version, also concurrently [SECRET-8]', async () => {
    const of = await fixture.newlyCreated();
    const rotated = await Promise.all(Array.from({ length: 5 }, () => client.rotateSecret(of)));
    const versions = rotated.map(({ pendingSecretVersion }) => pendingSecretVersion);
    expect(versions.sort()).toEqual([2, 3, 4, 5, 6]);
    expect((await fixture.secretsOf(of)).map(({ version }) => version)).toEqual([1, 6]);
    const last = rotated.find(({ pendingSecretVersion }) => pendingSecretVersion === 6);
    expect(await openedSecret(of, 6)).toBe(last?.secret);
    const replaced = failureOf(client.activateSecret({ ...of, pendingSecretVersion: 5 }));
    expect((await replaced).reason).toBe('secret_version_mismatch');
  });

  test('finishes with the activation: later deliveries are signed with it, and a repeat is harmless [SECRET-2, SECRET-4, SECRET-6, SECRET-8]', async () => {
    fixture.now = START;
    const of = await fixture.newlyActivated();
    const queued = await client.sendTestDelivery(of);
    const { secret } = await client.rotateSecret(of);
    const subscription = await client.activateSecret({ ...of, pendingSecretVersion: 2 });
    expect(subscription).toMatchObject({ secretVersion: 2, pendingSecretVersion: null });
    expect(await signedWith(queued, of)).toEqual({ version: 2, secret });

    const again = await client.activateSecret({ ...of, pendingSecretVersion: 2 });
    // The test delivery has left since.
    expect(again).toEqual({ ...subscription, nextAttemptAt: null });
    const lines = fixture.logLines.filter(([, message]) => message === 'subscription.secret_activated');
    expect(lines).toHaveLength(1);
    expect((await client.rotateSecret(of)).pendingSecretVersion).toBe(3);
  });

  test('refuses the active version unless the request repeats its activation [SECRET-8]', async () => {
    fixture.now = START;
    const of = await fixture.newlyCreated();
    const activate = (pendingSecretVersion: number) => client.activateSecret({ ...of, pendingSecretVersion });
    const refusal = (version: number) => failureOf(activate(version));
    const message = 'pendingSecretVersion: 1 is already active; no secret is pending';
    expect(await refusal(1)).toMatchObject({ reason: 'secret_version_mismatch', message });
    expect((await refusal(1_000_000)).message).toContain('1000000 does not exist');
    await client.rotateSecret(of);
    expect((await refusal(1)).message).toContain('1 is already active; the pending secret is 2');
    await activate(2);
    expect(await activate(2)).toMatchObject({ secretVersion: 2 });
    expect((await refusal(1)).message).toContain('1 was replaced; deliveries are signed with 2');
    await client.rotateSecret(of);
    expect((await refusal(2)).message).toContain('2 is already active; the pending secret is 3');
    await activate(3);
    fixture.now = new Date(START.getTime() + 24 * HOUR_MS);
    expect((await refusal(3)).message).toContain('3 is already active; no secret is pending');
  });

  test('keeps the former secret for the overlap and then drops it [SECRET-2, SECRET-6, SECRET-8]', async () => {
    fixture.now = START;
    const of = await fixture.newlyCreated();
    await client.rotateSecret(of);
    await client.activateSecret({ ...of, pendingSecretVersion: 2 });
    const [former, current] = await fixture.secretsOf(of);
    const end = new Date(START.getTime() + 24 * HOUR_MS);
    expect([former?.expiresAt, current?.expiresAt]).toEqual([end, null]);
    for (const [at, versions] of [
      [new Date(end.getTime() - 1), [1, 2]],
      [end, [2]],
    ] as const) {
      await maintain(fixture.deps.sealingKeys, at).runOnce();
      expect((await fixture.secretsOf(of)).map(({ version }) => version)).toEqual(versions);
    }
  });
});

describe('a test with the version of a secret', () => {
  test('is signed with the pending or the current secret, as requested, as long as it is kept [SECRET-8]', async () => {
    const of = await fixture.newlyCreated();
    const sent = (secretVersion: number) => client.sendTestDelivery({ ...of, secretVersion });
    const { secret } = await client.rotateSecret(of);
    expect(await signedWith(await sent(2), of)).toEqual({ version: 2, secret });
    expect(await signedWith(await sent(1), of)).toMatchObject({ version: 1 });
    const dropped = await sent(2);
    await client.rotateSecret(of);
    expect(await signedWith(dropped, of)).toMatchObject({ version: 1 });
    const former = await sent(1);
    await client.activateSecret({ ...of, pendingSecretVersion: 3 });
    expect(await signedWith(former, of)).toMatchObject({ version: 1 });
  });

  test('is signed with a random secret under that version if its signature has to be wrong [SECRET-10]', async () => {
    const of = await fixture.newlyCreated();
    const { secret } = await client.rotateSecret(of);
    const wrong = await client.sendTestDelivery({ ...of, secretVersion: 2, wrongSignature: true });
    // The version of a claimed delivery stays the one that its secret is sealed for.
    await client.rotateSecret(of);

    expect(wrong.wrongSignature).toBe(true);
    const signer = await signedWith(wrong, of);
    expect(signer).toEqual({ version: 2, secret: expect.stringMatching(/^whsec_/) });
    expect(signer.secret).not.toBe(secret);
    const unnamed = await client.sendTestDelivery({ ...of, wrongSignature: true });
    const other = await signedWith(unnamed, of);
    expect(other.version).toBe(1);
    expect(other.secret).not.toBe(await openedSecret(of, 1));
  });

  test('is refused for any other version, including the former one, and sends nothing [SECRET-8]', async () => {
    const of = await fixture.newlyCreated();
    await client.rotateSecret(of);
    await client.activateSecret({ ...of, pendingSecretVersion: 2 });
    for (const [secretVersion, fate] of [
      [1, '1 was replaced'],
      [3, '3 does not exist'],
    ] as const) {
      const message = `secretVersion: ${fate}; deliveries are signed with 2; no secret is pending`;
      const failure = await failureOf(client.sendTestDelivery({ ...of, secretVersion }));
      expect(failure).toMatchObject({ reason: 'secret_version_mismatch', message });
    }
    expect(await fixture.deliveriesOf(of.subscriptionId)).toEqual([]);
  });
});

describe('a change of the sealing key', () => {
  const keysOf = (keys: Readonly<Record<string, Buffer>>, currentKeyId: string): SealingKeys => {
    return { currentKeyId, keys: new Map(Object.entries(keys)) };
  };
  const before = keysOf({ k1: FORMER }, 'k1');
  const during = keysOf({ k2: CURRENT, k1: FORMER }, 'k2');
  const after = keysOf({ k2: CURRENT }, 'k2');

  /** Stores more secrets of a subscription, from version 2 on. */
  const seal = (ownerId: string, keys: SealingKeys, count: number) => {
    const versions = Array.from({ length: count }, (_none, index) => index + 2);
    const sealed = versions.map((version) => sealSecret(keys, { ownerId, version }, 'secret'));
    return fixture.database.query(
      `insert into subscription_secrets (subscription_id, version, sealed, sealing_key_id)
       select $1, secret.version, secret.sealed, $2
       from unnest($3::integer[], $4::bytea[]) as secret (version, sealed)`,
      [ownerId, keys.currentKeyId, versions, sealed],
    );
  };

  test('reseals every secret under the current key, so that the former one can be removed [SECRET-9]', async () => {
    const of = await fixture.newlyActivated();
    const { secret } = await client.rotateSecret(of);
    const first = await openedSecret(of, 1, before);
    const other = await fixture.newlyCreated();
    await seal(other.subscriptionId, before, 110);
    const claimed = await fixture.claimed(await client.sendTestDelivery(of));
    const keyIds = async () => (await fixture.secretsOf(of)).map(({ sealingKeyId }) => sealingKeyId);
    await ranWith(before, new Registry());
    expect(await keyIds()).toEqual(['k1', 'k1']);

    const two = [maintain(during), maintain(during)];
    await Promise.all(two.map((maintenance) => maintenance.runOnce()));
    const metrics = new Registry();
    await ranWith(during, metrics);
    for (const maintenance of two) await maintenance.runOnce();
    expect(await metrics.metrics()).toContain('partner_webhook_secrets_under_former_keys 0\n');
    expect(await keyIds()).toEqual(['k2', 'k2']);
    expect((await fixture.secretsOf(other)).every(({ sealingKeyId }) => sealingKeyId === 'k2')).toBe(true);
    expect(await openedSecret(of, 1, after)).toBe(first);
    expect(await openedSecret(of, 2, after)).toBe(secret);
    await expect(openedSecret(of, 1, before)).rejects.toThrow('a key that this process does not have');
    const owner = { ownerId: of.subscriptionId, version: 1 };
    expect(openSecret(during, owner, claimed.sealedSecret)).toBe(first);
  });

  test('skips secrets that it cannot open, logs them once, and reseals the rest [SECRET-9]', async () => {
    const [unknown, changed] = [await fixture.newlyCreated(), await fixture.newlyCreated()];
    const good = await fixture.newlyCreated();
    const change = ({ subscriptionId }: SubscriptionOfCompany, set: string) =>
      fixture.database.query(`update subscription_secrets set ${set} where subscription_id = $1`, [
        subscriptionId,
      ]);
    await change(unknown, `sealing_key_id = 'lost', sealed = '\\x046c6f737400'`);
    await change(changed, `sealed = sealed || '\\x00'`);
    const kept = [await fixture.secretsOf(unknown), await fixture.secretsOf(changed)];
    const lines: unknown[][] = [];
    const metrics = new Registry();
    const { runOnce } = maintain(during, START, (...line: unknown[]) => void lines.push(line));
    for (let run = 0; run < 3; run += 1) await runOnce();
    expect([await fixture.secretsOf(unknown), await fixture.secretsOf(changed)]).toEqual(kept);
    expect(await fixture.secretsOf(good)).toMatchObject([{ sealingKeyId: 'k2' }]);
    expect(lines).toEqual([
      [{ sealingKeyId: 'lost', secrets: 1 }, 'webhook_secrets.key_not_held'],
      [
        expect.objectContaining({ ownerId: changed.subscriptionId, version: 1 }),
        'webhook_secrets.not_opened',
      ],
    ]);
    await ranWith(after, metrics);
    expect(await metrics.metrics()).toContain('partner_webhook_secrets_under_former_keys 2');
  });

  test('reseals at most 1000 secrets in one run, and leaves the others to the next', async () => {
    const { subscriptionId } = await fixture.newlyCreated();
    await seal(subscriptionId, keysOf({ k3: FORMER }, 'k3'), 1_050);
    const left = async () =>
      (await fixture.database.query(`select 1 from subscription_secrets where sealing_key_id = 'k3'`)).length;
    const maintenance = maintain(keysOf({ k3: FORMER, k4: CURRENT }, 'k4'));
    // Not `more`, after which the next run would follow at once.
    expect(await maintenance.runOnce()).toBe('idle');
    expect(await left()).toBe(50);
    expect(await maintenance.runOnce()).toBe('idle');
    expect(await left()).toBe(0);
  });
});

describe('a webhook that no one has the secret of', () => {
  const unshown = async () => {
    const companyId = await fixture.company();
    const webhook = { url: 'https://receiver.example/hooks', events: ['install.*'] };
    const { id: subscriptionId } = await client.configure({ companyId }, { kind: 'create', webhook });
    expect((await client.getSubscription({ companyId, subscriptionId })).secretShown).toBe(false);
    return { companyId, subscriptionId };
  };
  const accepted = async (of: SubscriptionOfCompany, secretVersion: number) => {
    const { id: deliveryId } = await client.sendTestDelivery({ ...of, secretVersion });
    await fixture.handle(attemptedMessage({ deliveryId, leaseId: null, secretVersion }));
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
    const of = await fixture.newlyCreated();
    await client.rotateSecret(of);
    await accepted(of, 2);
    for (let rotation = 0; rotation < later; rotation += 1) await client.rotateSecret(of);
    expect(await refusal(of)).toContain('version 2 of the secret, but deliveries are signed with version 1');
    if (later === 0) await client.activateSecret({ ...of, pendingSecretVersion: 2 });
    else await accepted(of, 1);
    expect(await client.activateSubscription(of)).toMatchObject({
      state: 'active',
      secretVersion: later === 0 ? 2 : 1,
    });
  });

  test('is activated if the current secret was accepted, whatever the pending one was [SECRET-11]', async () => {
    const of = await fixture.newlyCreated();
    await fixture.tested(of);
    await client.rotateSecret(of);
    await accepted(of, 2);
    expect(await client.activateSubscription(of)).toMatchObject({ state: 'active', secretVersion: 1 });
  });
});
