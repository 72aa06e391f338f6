import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CompanyClass } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import {
  AttemptOutcome,
  DeliveriesAttemptedSchema,
  type DeliverWebhook,
  DeliverWebhooksSchema,
  ShadowAttemptSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { SHADOW_LIMITS } from '@partner/proto-contracts/resources/shadow/shadow';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { invariant } from '@partner/kernel/invariant';
import { HEADERS_VERSION, SHADOW_HEADERS_VERSION } from '@partner/kernel/secret-sealing';
import { silentLogger } from '@partner/kernel/logger';
import { eventually } from '@partner/test-kit/eventually';
import { Registry } from 'prom-client';
import {
  failureOf,
  openSubscriptionFixture,
  type SubscriptionFixture,
} from '../../testing/subscription-fixture.js';
import { attemptedMessage } from '../../testing/webhook-fixture.js';
import { createReleaseMetrics } from '../schedule/release-metrics.js';
import { publishClaimed } from '../schedule/release-batch.js';
import type { SubscriptionOfCompany } from '../subscriptions/get-subscription.js';
import { openHeaders } from '../subscriptions/store-headers.js';
import { type Mirroring, startMirroring } from '../schedule/start-mirroring.js';

const URL = 'https://receiver.example/v2';

let fixture: SubscriptionFixture;
let client: SubscriptionFixture['client'];
let mirroring: Mirroring;
/** The next number that chooses whether a delivery is mirrored. */
let chance: number;

beforeAll(async () => {
  fixture = await openSubscriptionFixture();
  ({ client } = fixture);
});

afterAll(() => fixture.close());

beforeEach(() => {
  chance = 0;
  fixture.now = new Date();
  mirroring = startMirroring({
    database: fixture.database,
    logger: silentLogger,
    metrics: new Registry(),
    intervalMs: 60_000,
    random: () => chance,
  });
  fixture.database.onWake('shadows', mirroring.wake);
});

afterEach(() => mirroring.stop());

/** Commands that were published last. */
function lastCommands() {
  const message = fixture.publisher.published.all().at(-1);
  invariant(message, 'a command was published');
  return fromBinary(DeliverWebhooksSchema, message.body).deliveries;
}

/** Starts a shadow, and reports the outcome of its test as the dispatcher does. */
async function started(
  of: SubscriptionOfCompany,
  options: { readonly url?: string; readonly percent?: number; readonly outcome?: AttemptOutcome } = {},
) {
  const { url = URL, percent = 100, outcome = AttemptOutcome.DELIVERED } = options;
  const { id } = await client.startShadow({ ...of, url, percent });
  await fixture.handle(attemptedMessage({ deliveryId: id, leaseId: id, outcome }));
  return id;
}

/** The custom headers of a command, and of the copy to its shadow. */
function headersOf(of: SubscriptionOfCompany, { sealedHeaders, shadow }: DeliverWebhook) {
  const open = (version: number, sealed: Uint8Array | undefined) =>
    sealed && openHeaders(fixture.deps.sealingKeys, { subscriptionId: of.subscriptionId, version }, sealed);
  return {
    live: open(HEADERS_VERSION, sealedHeaders),
    copy: open(SHADOW_HEADERS_VERSION, shadow?.sealedHeaders),
  };
}

/** Releases the due deliveries as the scheduler does. */
async function released() {
  const claimed = await fixture.claim();
  const limits = { inFlight: 500, subscriptionCap: 10, companyCap: 125, leaseSeconds: 30, sharedSlots: 375 };
  const metrics = createReleaseMetrics(new Registry(), fixture.database, limits);
  const { publisher, database } = fixture;
  const { shadowOf } = mirroring;
  await publishClaimed({ database, publisher, logger: silentLogger, metrics, shadowOf }, claimed, 1_000);
  return lastCommands();
}

/** The result of an attempt, reported again with what the shadow did. */
function compared(
  attempt: IncomingMessage,
  shadow: MessageInitShape<typeof ShadowAttemptSchema>,
): IncomingMessage {
  const [result] = fromBinary(DeliveriesAttemptedSchema, attempt.body).results;
  invariant(result, 'the message has a result');
  const message = create(DeliveriesAttemptedSchema, {
    results: [{ ...result, shadow: create(ShadowAttemptSchema, shadow) }],
  });
  return { ...attempt, body: toBinary(DeliveriesAttemptedSchema, message) };
}

const shadowOf = async (of: SubscriptionOfCompany) => {
  const { shadow } = await client.getShadow(of);
  invariant(shadow, 'the subscription has a shadow');
  return shadow;
};

describe('a shadow', () => {
  test('on another host gets only the headers of its start, and a switch to it takes them over [SHADOW-8]', async () => {
    const of = await fixture.activated(await fixture.company());
    const companyClass = CompanyClass.INSTALLER;
    const other = 'https://next.receiver.example/hooks';
    await client.updateSubscription({
      ...{ ...of, companyClass },
      headers: { changes: [{ name: 'x-tenant', value: 'west' }] },
    });
    const start = async (url: string, changes?: { name: string; value: string }[]) => {
      const begun = await client.startShadow({ ...of, url, ...(changes && { headers: { changes } }) });
      const [command] = lastCommands();
      invariant(command, 'the test was published');
      expect(begun.headerNames).toEqual(changes ? changes.map(({ name }) => name) : null);
      const tested = headersOf(of, command).live;
      await fixture.handle(attemptedMessage({ deliveryId: begun.id, leaseId: begun.id }));
      const first = { subscriptionId: of.subscriptionId, attempt: 1, isTest: false, url: '' };
      await eventually('the shadow is known', () => mirroring.shadowOf(first)?.id === begun.id);
      await fixture.event(of.companyId);
      const [mirrored] = await released();
      invariant(mirrored, 'a delivery was released');
      return { tested, ...headersOf(of, mirrored) };
    };
    const live = { 'x-tenant': 'west' };
    expect(await start(URL)).toEqual({ tested: live, live, copy: undefined });
    expect(await start(other)).toEqual({ tested: undefined, live, copy: undefined });
    const copy = { 'x-tenant': 'east' };
    expect(await start(other, [{ name: 'x-tenant', value: 'east' }])).toEqual({ tested: copy, live, copy });
    await client.updateSubscription({ ...of, companyClass, url: other });
    await fixture.event(of.companyId);
    const [switched] = await released();
    invariant(switched, 'a delivery was released');
    expect([switched.url, headersOf(of, switched)]).toEqual([other, { live: copy, copy: undefined }]);
    const kept = await fixture.database.query(
      'select version from subscription_secrets where subscription_id = $1 order by version',
      [of.subscriptionId],
    );
    expect(kept).toEqual([{ version: 0 }, { version: 1 }]);
  });

  test('runs once its URL has accepted a test that is signed with the secret of the subscription [SHADOW-1]', async () => {
    const of = await fixture.activated(await fixture.company());
    expect(await client.getShadow(of)).toEqual({ shadow: null });
    const begun = await client.startShadow({
      ...of,
      url: URL.toUpperCase().replace('HTTPS', 'https'),
      hours: 2,
    });
    expect(begun).toMatchObject({ url: URL, percent: 100, state: 'testing', test: null, skipped: 0 });
    expect(Date.parse(begun.endsAt) - Date.parse(begun.startedAt)).toBe(2 * 3_600_000);
    const [command] = lastCommands();
    expect(command).toMatchObject({
      deliveryId: begun.id,
      subscriptionId: of.subscriptionId,
      url: URL,
      event: 'install.test',
      isTest: true,
      secretVersion: 1,
    });
    const test = attemptedMessage({ deliveryId: begun.id, leaseId: begun.id });
    await fixture.handle(test);
    expect(await shadowOf(of)).toMatchObject({
      state: 'running',
      test: { outcome: 'delivered', status: 204, durationMs: 12, error: null },
    });
    await fixture.handle(
      attemptedMessage({ deliveryId: begun.id, leaseId: begun.id, outcome: AttemptOutcome.REJECTED }),
    );
    expect((await shadowOf(of)).state).toBe('running');
    const audited = await fixture.database.query<{ action: string; details: object }>(
      `select action, details from audit_entries where subject_id = $1 and action like 'webhook.shadow%'`,
      [of.subscriptionId],
    );
    expect(audited).toEqual([
      { action: 'webhook.shadow_started', details: { url: URL, percent: 100, hours: 2 } },
    ]);
  });

  test('is refused if the test is not accepted, or has no result in time [SHADOW-1]', async () => {
    const of = await fixture.activated(await fixture.company());
    await started(of, { outcome: AttemptOutcome.TIMED_OUT });
    expect(await shadowOf(of)).toMatchObject({ state: 'refused', test: { outcome: 'timed_out' } });
    const late = await client.startShadow({ ...of, url: URL });
    await fixture.database.query(
      `update webhook_shadows set started_at = now() - make_interval(secs => $2) where subscription_id = $1`,
      [of.subscriptionId, SHADOW_LIMITS.testSeconds],
    );
    expect(await shadowOf(of)).toMatchObject({ state: 'refused', test: null });
    await fixture.handle(attemptedMessage({ deliveryId: late.id, leaseId: late.id }));
    expect(await shadowOf(of)).toMatchObject({ state: 'refused', test: null });
  });

  test('has another URL, which deliveries may go to [SHADOW-1]', async () => {
    const of = await fixture.activated(await fixture.company());
    const violationOf = async (fields: object) =>
      (await failureOf(client.startShadow({ ...of, url: URL, ...fields }))).message;
    expect(await violationOf({ url: 'https://internal.example/' })).toContain('public address');
    expect(await violationOf({ url: 'http://receiver.example/' })).toContain('https://');
    expect(await violationOf({ url: 'https://receiver.example/hooks' })).toContain('current URL');
    expect(await violationOf({ percent: 101 })).toContain('percent');
    expect(await violationOf({ hours: 169 })).toContain('hours');
    expect((await failureOf(client.stopShadow(of))).reason).toBe('not_found');
    fixture.publisher.failWith('not-connected');
    expect((await failureOf(client.startShadow({ ...of, url: URL }))).reason).toBe('unavailable');
    fixture.publisher.failWith(undefined);
  });

  test('is started 10 times a minute for a company, of all its subscriptions together [SHADOW-1]', async () => {
    const companyId = await fixture.company();
    const [first, second] = [await fixture.activated(companyId), await fixture.activated(companyId)];
    for (let start = 0; start < SHADOW_LIMITS.startsPerCompany; start += 1) {
      await client.startShadow({ ...(start % 2 === 0 ? first : second), url: URL });
    }
    const refused = await failureOf(client.startShadow({ ...first, url: URL }));
    expect(refused.reason).toBe('rate_limited');
    fixture.now = new Date(fixture.now.getTime() + (SHADOW_LIMITS.startWindowSeconds + 60) * 1_000);
    await client.startShadow({ ...first, url: URL });
  });
});

describe('while a shadow runs', () => {
  test('the commands for first attempts name it, but none for tests, retries and other subscriptions [SHADOW-2, SHADOW-4]', async () => {
    const companyId = await fixture.company();
    const [of, other] = [await fixture.activated(companyId), await fixture.activated(companyId)];
    const id = await started(of, { percent: 40 });
    const first = {
      subscriptionId: of.subscriptionId,
      attempt: 1,
      isTest: false,
      url: 'https://live.example/',
    };
    await eventually('the shadow is known', () => mirroring.shadowOf(first) !== undefined);
    await fixture.event(companyId);
    const commands = await released();
    expect(
      commands.map(({ subscriptionId, shadow }) => [subscriptionId, shadow?.id, shadow?.url]).sort(),
    ).toEqual(
      [
        [of.subscriptionId, id, URL],
        [other.subscriptionId, undefined, undefined],
      ].sort(),
    );
    expect(mirroring.shadowOf({ ...first, attempt: 2 })).toBeUndefined();
    expect(mirroring.shadowOf({ ...first, isTest: true })).toBeUndefined();
    // After a switch, before this process knows of it.
    expect(mirroring.shadowOf({ ...first, url: URL })).toBeUndefined();
    chance = 0.4;
    expect(mirroring.shadowOf(first)).toBeUndefined();
    chance = 0.39;
    expect(mirroring.shadowOf(first)).toEqual({ id, url: URL, companyId: of.companyId });
    await client.stopShadow(of);
    await eventually('its end is known', () => mirroring.shadowOf(first) === undefined);
    const stopped = await shadowOf(of);
    expect(stopped.state).toBe('ended');
    expect(await client.stopShadow(of)).toEqual(stopped);
  });

  test('its outcomes are compared, without an effect on deliveries and statistics [SHADOW-3, SHADOW-4]', async () => {
    const companyId = await fixture.company();
    const of = await fixture.activated(companyId);
    const id = await started(of);
    const counted = async () => {
      const [row] = await fixture.database.query<{ attempts: number }>(
        `select (select count(*)::integer from delivery_attempts a join all_deliveries d on d.id = a.delivery_id
           where d.subscription_id = $1) as attempts`,
        [of.subscriptionId],
      );
      const statistics = await fixture.database.query(
        'select delivered, failed from delivery_statistics where subscription_id = $1',
        [of.subscriptionId],
      );
      const subscription = await client.getSubscription(of);
      return { attempts: row?.attempts, statistics, subscription };
    };
    await fixture.event(companyId);
    const [delivery] = await fixture.claim();
    invariant(delivery, 'a delivery is due');
    const attempt = attemptedMessage({ deliveryId: delivery.id, leaseId: delivery.leaseId, durationMs: 40 });
    await fixture.handle(attempt);
    const before = await counted();
    const { eventId, event } = delivery;
    const copy = { shadowId: id, eventId, event, outcome: AttemptOutcome.DELIVERED, durationMs: 120 };
    await fixture.handle(compared(attempt, copy));
    const failed = { ...copy, outcome: AttemptOutcome.REJECTED, responseStatus: 500, error: 'status 500' };
    for (let count = 0; count <= SHADOW_LIMITS.differences; count += 1) {
      await fixture.handle(compared(attempt, { ...failed, durationMs: count }));
    }
    await fixture.handle(compared(attempt, { shadowId: id, skipped: true }));
    await fixture.handle(compared(attempt, { ...failed, shadowId: 'shd_replaced' }));
    expect(await counted()).toEqual(before);

    const shadow = await shadowOf(of);
    expect(shadow).toMatchObject({
      outcomes: [
        { live: 'delivered', shadow: 'delivered', count: 1 },
        { live: 'delivered', shadow: 'rejected', count: SHADOW_LIMITS.differences + 1 },
      ],
      skipped: 1,
    });
    expect(shadow.live.p95Ms).toBeGreaterThan(25);
    expect(shadow.shadow.p50Ms).toBeLessThanOrEqual(25);
    expect(shadow.differences).toHaveLength(SHADOW_LIMITS.differences);
    expect(shadow.differences[0]).toMatchObject({
      deliveryId: delivery.id,
      eventId,
      event,
      live: { outcome: 'delivered', status: 204, durationMs: 40, error: null },
      shadow: {
        outcome: 'rejected',
        status: 500,
        durationMs: SHADOW_LIMITS.differences,
        error: 'status 500',
      },
    });
  });

  test('a result that skipped its copy still settles its delivery [SHADOW-3]', async () => {
    const companyId = await fixture.company();
    const of = await fixture.activated(companyId);
    const id = await started(of);
    await fixture.event(companyId);
    const [delivery] = await fixture.claim();
    invariant(delivery, 'a delivery is due');
    const attempt = attemptedMessage({ deliveryId: delivery.id, leaseId: delivery.leaseId });
    await fixture.handle(compared(attempt, { shadowId: id, skipped: true }));
    expect(await fixture.delivery(delivery.id)).toMatchObject({ state: 'delivered', attempts: 1 });
    expect((await shadowOf(of)).skipped).toBe(1);
  });
});

describe('a change of the URL', () => {
  const update = (of: SubscriptionOfCompany, url: string) =>
    client.updateSubscription({ ...of, companyClass: CompanyClass.INSTALLER, url });

  test('to that of the running shadow keeps the subscription active, and ends the shadow [SHADOW-5]', async () => {
    const of = await fixture.activated(await fixture.company());
    await started(of);
    expect(await update(of, URL)).toMatchObject({ url: URL, state: 'active', verified: true });
    expect((await shadowOf(of)).state).toBe('ended');
    const failure = await failureOf(client.startShadow({ ...of, url: URL }));
    expect(failure.message).toContain('current URL');
  });

  test.each([
    ['another URL than that of the shadow', 'https://receiver.example/v3', AttemptOutcome.DELIVERED],
    ['the URL of a shadow that was refused', URL, AttemptOutcome.REJECTED],
  ])('to %s pauses the subscription [SHADOW-5]', async (_what, url, outcome) => {
    const of = await fixture.activated(await fixture.company());
    await started(of, { outcome });
    expect(await update(of, url)).toMatchObject({ url, state: 'paused', verified: false });
    expect((await shadowOf(of)).state).toBe(outcome === AttemptOutcome.DELIVERED ? 'ended' : 'refused');
  });

  test('to that of a shadow whose test has no result yet pauses the subscription [SHADOW-5]', async () => {
    const of = await fixture.activated(await fixture.company());
    await client.startShadow({ ...of, url: URL });
    expect(await update(of, URL)).toMatchObject({ state: 'paused', verified: false });
  });

  test('to that of a shadow that has ended pauses the subscription [SHADOW-5]', async () => {
    const of = await fixture.activated(await fixture.company());
    await started(of);
    await fixture.database.query('update webhook_shadows set ends_at = now() where subscription_id = $1', [
      of.subscriptionId,
    ]);
    expect((await shadowOf(of)).state).toBe('ended');
    expect(await update(of, URL)).toMatchObject({ state: 'paused', verified: false });
  });

  test('is no part of a deletion, which drops the shadow [SHADOW-5]', async () => {
    const of = await fixture.activated(await fixture.company());
    await started(of);
    await client.deleteSubscription(of);
    expect(
      await fixture.database.query('select 1 from webhook_shadows where subscription_id = $1', [
        of.subscriptionId,
      ]),
    ).toEqual([]);
  });
});
