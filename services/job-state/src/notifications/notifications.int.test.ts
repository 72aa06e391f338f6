import { beforeEach, describe, expect, test } from '@jest/globals';
import { invariant } from '@partner/kernel/process/invariant';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { z } from 'zod';
import { fixture } from '../testing/file-subscriptions.js';
import { attemptedMessage } from '../testing/webhook-fixture.js';
import { announceFailing } from './occasions.js';
import { announceOccasions } from './start-notifications.js';
import { insertApiKey } from '../testing/test-jobs.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const OVERLAP_HOURS = 24;
const FAILED = AttemptOutcome.REJECTED;

let companyId: string;
let start: Date;

beforeEach(async () => {
  // Nothing of an earlier test is announced in a later one.
  await fixture.database.query('truncate subscriptions, api_keys cascade');
  companyId = await fixture.company();
  start = new Date();
});

const announcedAfter = (ms: number) =>
  announceOccasions({
    database: fixture.database,
    secretOverlapHours: OVERLAP_HOURS,
    clock: () => new Date(start.getTime() + ms),
  });

const envelope = z.object({
  event: z.string(),
  resource: z.object({ id: z.string(), version: z.int() }),
  data: z.record(z.string(), z.unknown()),
});

/** The notifications of the company, oldest first. */
async function notifications(): Promise<readonly z.infer<typeof envelope>[]> {
  const rows = await fixture.database.query<{ body: Buffer }>(
    `select body from events where company_id = $1 and name ~ '^(webhook|api_key)[.]' order by id`,
    [companyId],
  );
  return rows.map(({ body }) => envelope.parse(JSON.parse(body.toString())));
}

/** The names of the notifications once those of an instant are announced. */
const namesAfter = async (ms: number) => {
  await announcedAfter(ms);
  return (await notifications()).map(({ event }) => event);
};

/** Reports one attempt of a delivery. */
async function attempt(
  { id: deliveryId }: { readonly id: string },
  outcome: AttemptOutcome,
  more: { readonly certificate?: { readonly validFrom?: Date; readonly validTo: Date } } = {},
): Promise<void> {
  await fixture.makeDue(deliveryId);
  await fixture.claim();
  const { lease_id: leaseId, attempts } = await fixture.delivery(deliveryId);
  const result = { deliveryId, leaseId, outcome, number: attempts + 1, ...more };
  await fixture.handle(attemptedMessage(result));
}

async function deliveryOf(subscriptionId: string) {
  await fixture.event(companyId);
  const newest = (await fixture.deliveriesOf(subscriptionId)).at(-1);
  invariant(newest, 'the event has a delivery');
  return newest;
}

async function failTimes(delivery: { readonly id: string }, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await attempt(delivery, FAILED);
}

describe('an endpoint', () => {
  test('is announced once when it begins to fail and once when it has recovered, by all replicas together [NOTIFY-4, NOTIFY-8]', async () => {
    const subscriptionId = await fixture.subscription({ companyId });
    const delivery = await deliveryOf(subscriptionId);
    await failTimes(delivery, 4);
    expect(await namesAfter(0)).toEqual([]);
    await failTimes(delivery, 2);
    await Promise.all([announcedAfter(0), announcedAfter(0), announcedAfter(0)]);
    expect(await namesAfter(0)).toEqual(['webhook.endpoint_failing']);

    await attempt(delivery, AttemptOutcome.DELIVERED);
    expect(await namesAfter(5 * MINUTE_MS - 1)).toEqual(['webhook.endpoint_failing']);
    await Promise.all([announcedAfter(5 * MINUTE_MS), announcedAfter(5 * MINUTE_MS)]);
    const about = { subscriptionId, description: '', host: 'receiver.test' };
    expect(await notifications()).toMatchObject([
      { resource: { id: subscriptionId, version: 1 }, data: about },
      {
        event: 'webhook.endpoint_recovered',
        resource: { id: subscriptionId, version: 2 },
        data: { ...about, failingSince: start.toISOString() },
      },
    ]);
  });

  test('is announced to the other webhooks of its company, and not to itself [NOTIFY-1, NOTIFY-2]', async () => {
    const failing = await fixture.subscription({ companyId, events: ['install.*', 'webhook.*'] });
    const notified = await fixture.subscription({ companyId, events: ['webhook.endpoint_failing'] });
    const unnamed = await fixture.subscription({ companyId, state: 'paused' });
    const ofOther = { companyId: await fixture.company('SALES'), events: ['webhook.*', 'api_key.*'] };
    const stranger = await fixture.subscription(ofOther);
    await failTimes(await deliveryOf(failing), 5);
    await announcedAfter(0);
    expect((await fixture.deliveriesOf(notified)).map(({ event_id }) => event_id)).toHaveLength(1);
    expect(await fixture.deliveriesOf(failing)).toHaveLength(1);
    expect(await fixture.deliveriesOf(stranger)).toEqual([]);
    const [event] = await fixture.database.query<{ not_queued: unknown }>(
      `select not_queued from events where company_id = $1 and name = 'webhook.endpoint_failing'`,
      [companyId],
    );
    expect(event?.not_queued).toEqual({ [failing]: 'not_subscribed', [unnamed]: 'not_subscribed' });
  });

  test('that fails only notifications or tests is not announced, and neither are their dead letters [NOTIFY-3]', async () => {
    const failing = await fixture.subscription({ companyId });
    const notified = await fixture.subscription({ companyId, events: ['webhook.*'] });
    await failTimes(await deliveryOf(failing), 5);
    await announcedAfter(0);
    const [notification] = await fixture.deliveriesOf(notified);
    invariant(notification, 'the other webhook is notified');
    await failTimes(notification, 6);
    await announcedAfter(0);
    await failTimes(notification, 2);
    expect(await fixture.delivery(notification.id)).toMatchObject({ state: 'dead_lettered' });
    const tested = await fixture.subscription({ companyId });
    const test = await deliveryOf(tested);
    await fixture.database.query('update deliveries set is_test = true where id = $1', [test.id]);
    await failTimes(test, 6);
    expect(await namesAfter(2 * HOUR_MS)).toEqual(['webhook.endpoint_failing']);
  });

  test('is not announced as recovered after a change of its URL, nor is the certificate of the former one [NOTIFY-4, NOTIFY-7]', async () => {
    const subscriptionId = await fixture.subscription({ companyId });
    const delivery = await deliveryOf(subscriptionId);
    await failTimes(delivery, 4);
    await attempt(delivery, FAILED, { certificate: { validTo: new Date(start.getTime() + 5 * DAY_MS) } });
    await fixture.database.transaction((tx) => announceFailing(tx, start, 10));
    const url = 'https://receiver.example/new';
    await fixture.client.updateSubscription({ companyId, subscriptionId, url });
    await fixture.setState(subscriptionId, 'active');
    expect(await namesAfter(HOUR_MS)).toEqual(['webhook.endpoint_failing']);
  });

  test('that is paused is not announced [NOTIFY-4]', async () => {
    const subscriptionId = await fixture.subscription({ companyId });
    await failTimes(await deliveryOf(subscriptionId), 5);
    await fixture.setState(subscriptionId, 'paused');
    expect(await namesAfter(0)).toEqual([]);
  });
});

test('dead letters of a webhook are announced together: a minute after the first, then once an hour [NOTIFY-5]', async () => {
  const subscriptionId = await fixture.subscription({ companyId });
  const dead = async () => {
    const delivery = await deliveryOf(subscriptionId);
    await failTimes(delivery, 8);
  };
  await dead();
  await dead();
  const counted = async () =>
    (await notifications())
      .filter(({ event }) => event === 'webhook.deliveries_dead_lettered')
      .map(({ data }) => data['count']);
  await announcedAfter(0);
  expect(await counted()).toEqual([]);
  await Promise.all([announcedAfter(2 * MINUTE_MS), announcedAfter(2 * MINUTE_MS)]);
  expect(await counted()).toEqual([2]);
  await dead();
  await announcedAfter(4 * MINUTE_MS);
  expect(await counted()).toEqual([2]);
  await announcedAfter(2 * MINUTE_MS + HOUR_MS);
  await announcedAfter(3 * HOUR_MS);
  expect(await counted()).toEqual([2, 1]);
});

describe('the end', () => {
  const keyEnding = async (inMs: number, { replacedAgoMs = 0, revoked = false } = {}) => {
    const insert = (ago: number) =>
      insertApiKey(fixture.database, { companyId, createdAt: new Date(start.getTime() - ago) });
    const { keyId, lastFour } = await insert(100 * DAY_MS);
    const { keyId: successor } = await insert(replacedAgoMs);
    await fixture.database.query(
      'update api_keys set replaced_by = $2, expires_at = $3, revoked_at = $4 where id = $1',
      [keyId, successor, new Date(start.getTime() + inMs), revoked ? start : null],
    );
    return { keyId, lastFour, successor };
  };

  test('of an API key is announced 7 days and 1 day before, each once [NOTIFY-6]', async () => {
    const { keyId, lastFour, successor } = await keyEnding(8 * DAY_MS);
    await keyEnding(8 * DAY_MS, { revoked: true });
    expect(await namesAfter(DAY_MS - 1)).toEqual([]);
    await Promise.all([announcedAfter(DAY_MS), announcedAfter(DAY_MS)]);
    await announcedAfter(7 * DAY_MS - 1);
    const expiresAt = new Date(start.getTime() + 8 * DAY_MS).toISOString();
    const data = { keyId, lastFour, replacedBy: successor, expiresAt };
    expect(await notifications()).toEqual([
      { event: 'api_key.expiring', resource: { id: keyId, version: 1 }, data },
    ]);
    await announcedAfter(7 * DAY_MS);
    await announcedAfter(8 * DAY_MS);
    expect((await notifications()).map(({ resource }) => resource.version)).toEqual([1, 2]);
  });

  test('that was set less ahead is announced at the times that remain, else once half way [NOTIFY-6]', async () => {
    await keyEnding(7 * DAY_MS);
    expect(await namesAfter(6 * DAY_MS - 1)).toEqual([]);
    expect(await namesAfter(6 * DAY_MS)).toHaveLength(1);
    await keyEnding(DAY_MS);
    expect(await namesAfter(DAY_MS / 2 - 1)).toHaveLength(1);
    await announcedAfter(DAY_MS / 2);
    expect(await namesAfter(DAY_MS - 1)).toHaveLength(2);
  });

  test('of a former secret is announced half way through a short overlap [NOTIFY-6]', async () => {
    const subscriptionId = await fixture.subscription({ companyId });
    const expire = 'update subscription_secrets set expires_at = $2 where subscription_id = $1';
    await fixture.database.query(expire, [
      subscriptionId,
      new Date(start.getTime() + OVERLAP_HOURS * HOUR_MS),
    ]);
    expect(await namesAfter((OVERLAP_HOURS / 2) * HOUR_MS - 1)).toEqual([]);
    await announcedAfter((OVERLAP_HOURS / 2) * HOUR_MS);
    await announcedAfter((OVERLAP_HOURS - 1) * HOUR_MS);
    const data = { subscriptionId, secretVersion: 1, activeSecretVersion: 1 };
    expect(await notifications()).toMatchObject([{ event: 'webhook.secret_expiring', data }]);
  });
});

describe('a certificate', () => {
  const seen = async (validFrom: Date, validTo: Date) => {
    const subscriptionId = await fixture.subscription({ companyId });
    const delivery = await deliveryOf(subscriptionId);
    await attempt(delivery, AttemptOutcome.DELIVERED, { certificate: { validFrom, validTo } });
    return subscriptionId;
  };
  const inDays = (days: number) => new Date(start.getTime() + days * DAY_MS);

  test('is announced 14 and 3 days before it expires, until the endpoint presents another one [NOTIFY-7]', async () => {
    const subscriptionId = await seen(inDays(-70), inDays(20));
    expect(await namesAfter(6 * DAY_MS - 1)).toEqual([]);
    await Promise.all([announcedAfter(6 * DAY_MS), announcedAfter(6 * DAY_MS)]);
    await announcedAfter(7 * DAY_MS);
    const data = { subscriptionId, expiresAt: inDays(20).toISOString() };
    expect(await notifications()).toMatchObject([{ event: 'webhook.certificate_expiring', data }]);
    expect(await namesAfter(17 * DAY_MS)).toHaveLength(2);
    const renewed = { certificate: { validTo: inDays(110) } };
    await attempt(await deliveryOf(subscriptionId), AttemptOutcome.DELIVERED, renewed);
    expect(await namesAfter(19 * DAY_MS)).toHaveLength(2);
    expect(await namesAfter(96 * DAY_MS)).toHaveLength(3);
  });

  test('of a short validity is announced in its last third only [NOTIFY-7]', async () => {
    await seen(inDays(0), inDays(10));
    expect(await namesAfter(7 * DAY_MS - 1)).toEqual([]);
    expect(await namesAfter(7 * DAY_MS)).toHaveLength(1);
    await seen(inDays(0), inDays(8));
    expect(await namesAfter(7.9 * DAY_MS)).toHaveLength(1);
  });
});
