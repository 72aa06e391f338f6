import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { serviceErrorFrom } from '@partner/kernel/amqp/rpc-error';
import { idFloor, newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import { runWithRequestId } from '@partner/kernel/request-context';
import type { ServiceError } from '@partner/kernel/service-error';
import { textOf } from '../database/connection-pool.js';
import { type CallerLimits, type Database, type TransactionLimits } from '../database/database.js';
import { MAX_DELIVERIES_SHOWN } from './events/get-event.js';
import { connectDeliveries } from '../testing/public-clients.js';
import { openWebhookFixture, type WebhookFixture } from '../testing/webhook-fixture.js';
import { createDeliveryService } from './delivery-service.js';
import { MAX_DELIVERIES_SCANNED } from './attempts/list-deliveries.js';

let fixture: WebhookFixture;
const logLines: unknown[][] = [];
/** The queries of the service within the test. */
let statements: string[] = [];
let limitsGiven: (CallerLimits & TransactionLimits)[] = [];

function watched(database: Database): Pick<Database, 'query' | 'transaction'> {
  return {
    query: (text, values, limits) => {
      statements.push(textOf(text));
      limitsGiven.push(limits ?? {});
      return database.query(text, values, limits);
    },
    transaction: (work, limits) => {
      limitsGiven.push(limits ?? {});
      return database.transaction(
        (tx) =>
          work({
            ...tx,
            query: (text, values) => {
              statements.push(textOf(text));
              return tx.query(text, values);
            },
          }),
        limits,
      );
    },
  };
}

function connect() {
  const service = createDeliveryService({
    database: watched(fixture.database),
    logger: { info: (...line: unknown[]) => void logLines.push(line) },
  });
  return connectDeliveries(service);
}
let client: ReturnType<typeof connect>;

beforeAll(async () => {
  fixture = await openWebhookFixture();
  client = connect();
});

afterAll(async () => {
  await fixture.close();
});

async function failureOf(call: Promise<unknown>): Promise<ServiceError> {
  return call.then(
    () => {
      throw new Error('the call did not fail');
    },
    (thrown: unknown) => serviceErrorFrom(thrown),
  );
}

/** A company with one subscription, and deliveries of this many events to it, oldest first. */
async function companyWith(events: number) {
  const companyId = await fixture.company();
  const subscriptionId = await fixture.subscription({ companyId });
  for (let made = 0; made < events; made += 1) await fixture.event(companyId);
  const deliveries = await fixture.deliveriesOf(subscriptionId);
  return { companyId, subscriptionId, deliveries };
}

/** A company with one subscription and one delivery to it in this final state. */
async function companyWithFinished(state: 'delivered' | 'dead_lettered' | 'cancelled') {
  const { deliveries, ...rest } = await companyWith(1);
  const [delivery] = deliveries;
  invariant(delivery, 'one delivery');
  await fixture.finish(state, delivery.id);
  return { ...rest, deliveryId: delivery.id, eventId: delivery.event_id };
}

async function attemptOf(deliveryId: string, exchange: object | null = null, startedAt = new Date()) {
  const id = newId('dlv');
  await fixture.database.query(
    `insert into delivery_attempts
       (delivery_id, id, number, started_at, duration_ms, outcome, response_status, response_body, secret_version, exchange)
     values ($1, $2, 1, $3, 12, 'rejected', 500, 'kept', 1, $4)`,
    [deliveryId, id, startedAt, exchange === null ? null : JSON.stringify(exchange)],
  );
  return id;
}

const idsOf = (page: { readonly deliveries: readonly { readonly id: string }[] }) =>
  page.deliveries.map(({ id }) => id);

describe('ListDeliveries', () => {
  test('lists pages from newest to oldest, each delivery once, finished or not', async () => {
    const { companyId, subscriptionId, deliveries } = await companyWith(7);
    const all = deliveries.map(({ id }) => id).reverse();
    await fixture.finish('delivered', all[1] ?? '', all[4] ?? '');

    const seen: string[] = [];
    let next: string | null = null;
    do {
      const page = await client.listDeliveries({
        companyId,
        subscriptionId,
        limit: 3,
        ...(next !== null && { beforeDeliveryId: next }),
      });
      seen.push(...idsOf(page));
      next = page.nextCursor;
      if (seen.length === 3) await fixture.event(companyId);
    } while (next !== null);
    expect(seen).toEqual(all);
  });

  test.each(['pending', 'retry_scheduled', 'held', 'delivered', 'dead_lettered', 'cancelled'] as const)(
    'lists by state: %s',
    async (state) => {
      const { companyId, subscriptionId, deliveries } = await companyWith(6);
      const [pending, scheduled, held, delivered, dead, cancelled] = deliveries.map(({ id }) => id);
      await fixture.database.query(`update deliveries set state = 'retry_scheduled' where id = $1`, [
        scheduled,
      ]);
      await fixture.database.query(`update deliveries set state = 'held' where id = $1`, [held]);
      await fixture.finish('delivered', delivered ?? '');
      await fixture.finish('dead_lettered', dead ?? '');
      await fixture.finish('cancelled', cancelled ?? '');

      const page = await client.listDeliveries({ companyId, subscriptionId, state });
      expect(page.deliveries).toMatchObject([{ state }]);
      const expected = {
        pending,
        retry_scheduled: scheduled,
        held,
        delivered,
        dead_lettered: dead,
        cancelled,
      };
      expect(idsOf(page)).toEqual([expected[state]]);
      expect(page.nextCursor).toBeNull();
    },
  );

  test('lists by event, by group, by resource and by creation time', async () => {
    const { companyId, subscriptionId, deliveries } = await companyWith(3);
    const [first, second, third] = deliveries;
    invariant(first && second && third, 'three deliveries');
    await fixture.database.query(`update deliveries set event = 'install.job_assigned' where id = $1`, [
      second.id,
    ]);
    const list = async (filter: object) =>
      idsOf(await client.listDeliveries({ companyId, subscriptionId, ...filter }));

    expect(await list({ event: 'install.job_assigned' })).toEqual([second.id]);
    expect(await list({ event: 'install.*' })).toEqual([third.id, second.id, first.id]);
    expect(await list({ event: 'quote.*' })).toEqual([]);
    expect(await list({ resourceId: first.resource_id })).toEqual([first.id]);

    // The shown times are whole milliseconds: a delivery shown as created at an instant is found from that instant on.
    const at = (text: string) => timestampFromDate(new Date(text));
    for (const [id, created] of [
      [first.id, '2026-09-01T10:00:00Z'],
      [second.id, '2026-09-01T10:00:01Z'],
      [third.id, '2026-09-01T10:00:02Z'],
    ] as const) {
      const moved = idFloor('dlv', new Date(created)).slice(0, 20) + id.slice(20);
      await fixture.database.query('update deliveries set id = $2, created_at = $3 where id = $1', [
        id,
        moved,
        new Date(created),
      ]);
    }
    const [one, two, three] = (await fixture.deliveriesOf(subscriptionId)).map(({ id }) => id);
    expect(await list({ from: at('2026-09-01T10:00:01Z') })).toEqual([three, two]);
    expect(await list({ to: at('2026-09-01T10:00:01Z') })).toEqual([one]);
    expect(await list({ from: at('2026-09-01T10:00:01Z'), to: at('2026-09-01T10:00:02Z') })).toEqual([two]);
  });

  test('scans a bounded number of deliveries for a filter with few matches, and continues from there', async () => {
    const { companyId, subscriptionId, deliveries } = await companyWith(1);
    const [oldest] = deliveries;
    invariant(oldest, 'one delivery');
    await fixture.database.query(`update deliveries set event = 'install.job_assigned' where id = $1`, [
      oldest.id,
    ]);
    await fixture.database.query(
      `insert into finished_deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test,
         state, attempts, created_at, finished_at)
       select 'dlv_7' || lpad(n::text, 25, '0'), $1, $2, 'evt_' || n, 'install.status_changed', 'install_job', 'job', false,
         'delivered', 1, now(), now()
       from generate_series(1, $3) as n`,
      [subscriptionId, companyId, MAX_DELIVERIES_SCANNED],
    );
    const filter = { companyId, subscriptionId, event: 'install.job_assigned' };
    const first = await client.listDeliveries(filter);
    expect(idsOf(first)).toEqual([]);
    invariant(first.nextCursor, 'there may be more');
    const second = await client.listDeliveries({ ...filter, beforeDeliveryId: first.nextCursor });
    expect(idsOf(second)).toEqual([oldest.id]);
    expect(second.nextCursor).toBeNull();
  });

  test('rejects an invalid size, state and event', async () => {
    const { companyId, subscriptionId } = await companyWith(0);
    for (const request of [{ limit: 0 }, { limit: 101 }, { state: 'lost' }, { event: 'install' }]) {
      const failure = await failureOf(client.listDeliveries({ companyId, subscriptionId, ...request }));
      expect(failure.reason).toBe('invalid_argument');
    }
  });
});

describe('GetDelivery', () => {
  test('finds a delivery by its own id and by the id of any attempt, with the attempts in order', async () => {
    const { companyId, deliveryId, eventId } = await companyWithFinished('dead_lettered');
    const later = await attemptOf(deliveryId, null, new Date('2026-08-26T14:00:02Z'));
    const earlier = await attemptOf(
      deliveryId,
      {
        dnsMs: 2,
        addresses: ['203.0.113.7'],
        certificateSubject: 'receiver.example',
        certificateValidTo: '2027-01-01T00:00:00.000Z',
        reusedConnection: false,
        ofALaterVersion: true,
      },
      new Date('2026-08-26T14:00:01Z'),
    );

    const byId = await client.getDelivery({ companyId, deliveryId });
    expect(byId.delivery).toMatchObject({ id: deliveryId, eventId, state: 'dead_lettered' });
    expect(byId.delivery.finishedAt).not.toBeNull();
    expect(byId.attempts).toMatchObject([
      {
        deliveryId: earlier,
        outcome: 'rejected',
        responseStatus: 500,
        exchange: {
          dnsMs: 2,
          addresses: ['203.0.113.7'],
          connectMs: null,
          certificate: { subject: 'receiver.example', issuer: null, validTo: '2027-01-01T00:00:00.000Z' },
          reusedConnection: false,
        },
      },
      { deliveryId: later },
    ]);
    expect(byId.attempts[1]).toMatchObject({ exchange: null, responseBody: 'kept', error: null });
    expect(byId.body).toContain(eventId);
    expect(await client.getDelivery({ companyId, deliveryId: earlier })).toEqual(byId);
    expect(await client.getDelivery({ companyId, deliveryId: later })).toEqual(byId);
  });

  test('reads the state and the attempts in one statement, so that they agree', async () => {
    const { companyId, deliveryId } = await companyWithFinished('delivered');
    await attemptOf(deliveryId);
    statements = [];
    const { attempts } = await client.getDelivery({ companyId, deliveryId });
    expect(attempts).toHaveLength(1);
    expect(statements).toHaveLength(1);
  });

  test('returns a delivery whose event has passed its retention without a body', async () => {
    const { companyId, deliveryId, eventId } = await companyWithFinished('delivered');
    await fixture.database.query('delete from events where id = $1', [eventId]);
    const found = await client.getDelivery({ companyId, deliveryId });
    expect(found.delivery).toMatchObject({ eventId, event: 'install.status_changed' });
    expect(found.body).toBeNull();
  });
});

describe('ReplayDelivery', () => {
  test.each(['delivered', 'dead_lettered'] as const)(
    'starts a new series of attempts of the same event for a %s one [DELIVERY-3, REPLAY-1]',
    async (state) => {
      const { companyId, subscriptionId, deliveryId, eventId } = await companyWithFinished(state);
      const delivery = await client.replayDelivery({
        companyId,
        deliveryId,
        actingMembershipId: 'mem_1',
      });
      expect(delivery).toMatchObject({
        subscriptionId,
        eventId,
        event: 'install.status_changed',
        state: 'pending',
        attempts: 0,
        replayOf: deliveryId,
      });
      expect(await fixture.delivery(delivery.id)).toMatchObject({
        state: 'pending',
        attempts: 0,
        event_id: eventId,
      });
      expect((await fixture.delivery(deliveryId)).state).toBe(state);
      expect(await client.getDelivery({ companyId, deliveryId: delivery.id })).toMatchObject({
        body: (await client.getDelivery({ companyId, deliveryId })).body,
      });
      expect(logLines).toContainEqual([
        expect.objectContaining({
          deliveryId: delivery.id,
          replayOf: deliveryId,
          companyId,
          membershipId: 'mem_1',
        }),
        'delivery.replayed',
      ]);
    },
  );

  test('accepts the id of an attempt, and replays a replay [REPLAY-1]', async () => {
    const { companyId, deliveryId } = await companyWithFinished('dead_lettered');
    const attemptId = await attemptOf(deliveryId);
    const replay = await client.replayDelivery({ companyId, deliveryId: attemptId });
    expect(replay.replayOf).toBe(deliveryId);
    await fixture.finish('dead_lettered', replay.id);
    const again = await client.replayDelivery({ companyId, deliveryId: replay.id });
    expect(again.replayOf).toBe(replay.id);
  });

  test('queues one delivery for concurrent requests, and names it in the other responses [REPLAY-2]', async () => {
    const { companyId, subscriptionId, deliveryId } = await companyWithFinished('dead_lettered');
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => client.replayDelivery({ companyId, deliveryId })),
    );
    const made = (await fixture.deliveriesOf(subscriptionId)).filter(({ state }) => state === 'pending');
    expect(made).toHaveLength(1);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'fulfilled') continue;
      const failure = serviceErrorFrom(result.reason);
      expect(failure.reason).toBe('replay_in_progress');
      expect(failure.message).toContain(made[0]?.id);
    }
  });

  test('queues a held delivery while the subscription is paused [REPLAY-1]', async () => {
    const { companyId, subscriptionId, deliveryId } = await companyWithFinished('dead_lettered');
    await fixture.setState(subscriptionId, 'paused');
    const replay = await client.replayDelivery({ companyId, deliveryId });
    expect(replay).toMatchObject({ state: 'held', nextAttemptAt: null });
  });

  test('is refused for an unfinished delivery, a test, a dropped event and a deleted subscription [REPLAY-2]', async () => {
    const unfinished = await companyWith(1);
    const [pending] = unfinished.deliveries;
    const cancelled = await companyWithFinished('cancelled');
    const tested = await companyWithFinished('delivered');
    await fixture.database.query('update finished_deliveries set is_test = true where id = $1', [
      tested.deliveryId,
    ]);
    const dropped = await companyWithFinished('delivered');
    await fixture.database.query('delete from events where id = $1', [dropped.eventId]);
    const deleted = await companyWithFinished('delivered');
    await fixture.database.query(
      `update subscriptions set state = 'paused', paused_at = now(), deleted_at = now() where id = $1`,
      [deleted.subscriptionId],
    );

    const cases = [
      [
        { companyId: unfinished.companyId, deliveryId: pending?.id ?? '' },
        'delivery_not_replayable',
        'is pending',
      ],
      [cancelled, 'delivery_not_replayable', 'is cancelled'],
      [tested, 'delivery_not_replayable', 'test'],
      [dropped, 'event_expired', 'no longer kept'],
      [deleted, 'not_found', 'no such'],
    ] as const;
    for (const [{ companyId, deliveryId }, reason, words] of cases) {
      const failure = await failureOf(client.replayDelivery({ companyId, deliveryId }));
      expect([failure.reason, failure.message]).toEqual([reason, expect.stringContaining(words)]);
    }
  });
});

describe('ListEvents', () => {
  test('lists the events of a company in pages, by event and by resource [EVENT-6]', async () => {
    const companyId = await fixture.company();
    const events: string[] = [];
    for (let made = 0; made < 5; made += 1) events.unshift(await fixture.event(companyId));
    const first = await client.listEvents({ companyId, limit: 3 });
    expect(first.events.map(({ id }) => id)).toEqual(events.slice(0, 3));
    invariant(first.nextCursor, 'more follow');
    const second = await client.listEvents({ companyId, limit: 3, beforeEventId: first.nextCursor });
    expect(second.events.map(({ id }) => id)).toEqual(events.slice(3));
    expect(second.nextCursor).toBeNull();

    const [newest] = first.events;
    invariant(newest, 'there are events');
    const about = await client.listEvents({ companyId, resourceId: newest.resource.id });
    expect(about.events).toEqual([newest]);
    expect((await client.listEvents({ companyId, resourceId: newId('job') })).events).toEqual([]);
    expect((await client.listEvents({ companyId, event: 'install.status_changed' })).events).toHaveLength(5);
    expect((await client.listEvents({ companyId, event: 'quote.*' })).events).toEqual([]);
    expect((await failureOf(client.listEvents({ companyId, event: '*' }))).reason).toBe('invalid_argument');
  });

  test('explains an empty list of a resource, with the same message whether the resource exists or not [EVENT-6]', async () => {
    const companyId = await fixture.company();
    const theirs = await companyWith(1);
    const explanations = [];
    for (const resourceId of [theirs.deliveries[0]?.resource_id ?? '', newId('job'), 'nothing']) {
      const { events, nextCursor, explanation } = await client.listEvents({ companyId, resourceId });
      expect({ events, nextCursor }).toEqual({ events: [], nextCursor: null });
      explanations.push(explanation);
    }
    expect(explanations[0]).toContain('not assigned to your company');
    expect(new Set(explanations).size).toBe(1);
    expect((await client.listEvents({ companyId })).explanation).toBeNull();
    const secondPage = { companyId, resourceId: 'nothing', beforeEventId: newId('evt') };
    expect((await client.listEvents(secondPage)).explanation).toBeNull();
  });
});

describe('GetEvent', () => {
  test('returns for each subscription the outcome of the event, or why it was not queued [EVENT-6]', async () => {
    const companyId = await fixture.company();
    const make = (options: object) => fixture.subscription({ companyId, ...options });
    const active = await make({});
    const paused = await make({ state: 'paused' });
    const others = await make({ events: ['install.job_assigned'] });
    const newer = await make({ schemaVersion: 2 });
    const deletedBefore = await make({});
    const remove = (id: string) =>
      fixture.database.query(
        `update subscriptions set state = 'paused', paused_at = now(), deleted_at = now() where id = $1`,
        [id],
      );
    await remove(deletedBefore);
    const eventId = await runWithRequestId('req-1', () => fixture.event(companyId));
    const later = await make({});
    const [delivery] = await fixture.deliveriesOf(active);
    invariant(delivery, 'one delivery');
    await fixture.finish('dead_lettered', delivery.id);
    const attemptId = await attemptOf(delivery.id);
    const replayed = await client.replayDelivery({ companyId, deliveryId: delivery.id });
    await remove(paused);

    const { event, body, subscriptions } = await client.getEvent({ companyId, eventId });
    expect(event).toMatchObject({
      id: eventId,
      event: 'install.status_changed',
      resource: { type: 'install_job', version: 2 },
      schemaVersion: 1,
      requestId: 'req-1',
    });
    expect(body).toContain(eventId);
    for (const { explanation } of subscriptions) expect(explanation).toMatch(/^[A-Z].*\.$/);
    expect(subscriptions.map(({ subscriptionId, verdict }) => [subscriptionId, verdict])).toEqual([
      [active, 'queued'],
      [paused, 'paused'],
      [others, 'not_subscribed'],
      [newer, 'schema_version'],
      [deletedBefore, 'deleted'],
      [later, 'created_later'],
    ]);
    expect(subscriptions[0]?.deliveries).toMatchObject([
      { delivery: { id: replayed.id, state: 'pending' }, attempts: [] },
      {
        delivery: { id: delivery.id, state: 'dead_lettered' },
        attempts: [{ deliveryId: attemptId, outcome: 'rejected', responseStatus: 500 }],
      },
    ]);
    expect(subscriptions[0]?.deliveries[0]?.delivery.nextAttemptAt).not.toBeNull();
  });

  test('reports a class that does not allow the event, and data past its retention [EVENT-6]', async () => {
    const companyId = await fixture.company('SALES');
    await fixture.subscription({ companyId, events: ['install.*'] });
    const eventId = await fixture.event(companyId);
    const verdicts = async () =>
      (await client.getEvent({ companyId, eventId })).subscriptions.map(({ verdict }) => verdict);
    expect(await verdicts()).toEqual(['class']);

    const installer = await companyWith(1);
    const [delivery] = installer.deliveries;
    await fixture.database.query('delete from deliveries where id = $1', [delivery?.id]);
    const { subscriptions } = await client.getEvent({
      companyId: installer.companyId,
      eventId: delivery?.event_id ?? '',
    });
    expect(subscriptions).toMatchObject([{ verdict: 'no_longer_kept' }]);
  });

  test('returns the newest deliveries to each subscription, however many deliveries another one has', async () => {
    const { companyId, subscriptionId, deliveries } = await companyWith(0);
    expect(deliveries).toEqual([]);
    const other = await fixture.subscription({ companyId });
    const eventId = await fixture.event(companyId);
    await fixture.database.query(
      `insert into finished_deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test,
         state, attempts, created_at, finished_at)
       select id, $2, $3, $4, 'install.status_changed', 'install_job', 'job', false, 'delivered', 1, now(), now()
       from unnest($1::text[]) as id`,
      [Array.from({ length: 120 }, () => newId('dlv')), other, companyId, eventId],
    );
    const { subscriptions } = await client.getEvent({ companyId, eventId });
    expect(
      subscriptions.map((trail) => [trail.subscriptionId, trail.verdict, trail.deliveries.length]),
    ).toEqual([
      [subscriptionId, 'queued', 1],
      [other, 'queued', MAX_DELIVERIES_SHOWN],
    ]);
    const [newest] = (await fixture.deliveriesOf(other)).slice(-1);
    expect(subscriptions[1]?.deliveries[0]?.delivery.id).toBe(newest?.id);
  });

  test('reports a subscription as deleted only if it was deleted before the event', async () => {
    const { companyId, subscriptionId, deliveries } = await companyWith(1);
    const [delivery] = deliveries;
    await fixture.database.query('delete from deliveries where id = $1', [delivery?.id]);
    await fixture.database.query(
      `update subscriptions set state = 'paused', paused_at = now(), deleted_at = now() where id = $1`,
      [subscriptionId],
    );
    const { subscriptions } = await client.getEvent({ companyId, eventId: delivery?.event_id ?? '' });
    expect(subscriptions).toMatchObject([{ verdict: 'no_longer_kept' }]);
  });

  test('finds the deliveries of an event whose id has an earlier clock than its commit', async () => {
    const { companyId, deliveries } = await companyWith(1);
    const [delivery] = deliveries;
    invariant(delivery, 'one delivery');
    for (const [table, id] of [
      ['events', delivery.event_id],
      ['deliveries', delivery.id],
    ]) {
      await fixture.database.query(
        `update ${table} set created_at = created_at + interval '5 minutes' where id = $1`,
        [id],
      );
    }
    const { subscriptions } = await client.getEvent({ companyId, eventId: delivery.event_id });
    expect(subscriptions).toMatchObject([
      { verdict: 'queued', deliveries: [{ delivery: { id: delivery.id } }] },
    ]);
  });

  test('takes as many statements for many subscriptions and deliveries as for one', async () => {
    const counts: number[] = [];
    for (const subscriptions of [1, 5]) {
      const companyId = await fixture.company();
      for (let made = 0; made < subscriptions; made += 1) await fixture.subscription({ companyId });
      const eventId = await fixture.event(companyId);
      statements = [];
      const found = await client.getEvent({ companyId, eventId });
      expect(found.subscriptions).toHaveLength(subscriptions);
      counts.push(statements.length);
    }
    expect(counts).toEqual([4, 4]);
  });
});

describe('the lists', () => {
  test('take as many statements for many rows as for one', async () => {
    const { companyId, subscriptionId } = await companyWith(10);
    const counted = async (work: () => Promise<unknown>) => {
      statements = [];
      await work();
      return statements.length;
    };
    expect(await counted(() => client.listDeliveries({ companyId, subscriptionId }))).toBe(2);
    expect(
      await counted(() => client.listDeliveries({ companyId, subscriptionId, event: 'install.*' })),
    ).toBe(2);
    expect(await counted(() => client.listEvents({ companyId }))).toBe(1);
    expect(await counted(() => client.listEvents({ companyId, event: 'install.*' }))).toBe(1);
    expect(await counted(() => client.listBulkReplays({ companyId, subscriptionId }))).toBe(2);
  });
});

const SELECTION = {
  states: ['dead_lettered'],
  from: timestampFromDate(new Date(Date.now() - 3_600_000)),
  to: timestampFromDate(new Date(Date.now() + 3_600_000)),
};

describe('another company', () => {
  test('finds nothing of a company by any id, and changes nothing', async () => {
    const { companyId, subscriptionId, deliveryId, eventId } = await companyWithFinished('dead_lettered');
    const attemptId = await attemptOf(deliveryId);
    const replay = await client.createBulkReplay({
      companyId,
      subscriptionId,
      selection: SELECTION,
      perMinute: 60,
    });
    const replayId = replay.id;
    const stranger = await fixture.company();
    const calls = [
      client.listDeliveries({ companyId: stranger, subscriptionId }),
      client.getDelivery({ companyId: stranger, deliveryId }),
      client.getDelivery({ companyId: stranger, deliveryId: attemptId }),
      client.replayDelivery({ companyId: stranger, deliveryId }),
      client.replayDelivery({ companyId: stranger, deliveryId: attemptId }),
      client.previewBulkReplay({ companyId: stranger, subscriptionId, selection: SELECTION, perMinute: 60 }),
      client.createBulkReplay({ companyId: stranger, subscriptionId, selection: SELECTION, perMinute: 60 }),
      client.listBulkReplays({ companyId: stranger, subscriptionId }),
      client.getBulkReplay({ companyId: stranger, replayId }),
      client.cancelBulkReplay({ companyId: stranger, replayId }),
      client.getEvent({ companyId: stranger, eventId }),
    ];
    for (const call of calls) expect((await failureOf(call)).reason).toBe('not_found');
    expect((await client.listEvents({ companyId: stranger })).events).toEqual([]);
    expect(await client.getBulkReplay({ companyId, replayId })).toEqual(replay);
    expect(await fixture.deliveriesOf(subscriptionId)).toHaveLength(1);
  });
});

describe('an RPC', () => {
  test.each([
    'listDeliveries',
    'getDelivery',
    'replayDelivery',
    'previewBulkReplay',
    'createBulkReplay',
    'listBulkReplays',
    'getBulkReplay',
    'cancelBulkReplay',
    'listEvents',
    'getEvent',
  ] as const)('%s gives the database no more time than its caller waits', async (method) => {
    limitsGiven = [];
    const companyId = newId('cmp');
    const nothing = {
      companyId,
      subscriptionId: newId('whk'),
      deliveryId: newId('dlv'),
      eventId: newId('evt'),
      replayId: newId('rpl'),
      selection: SELECTION,
      perMinute: 60,
    };
    await client[method](nothing, { timeoutMs: 4_000 }).catch((error: unknown) => {
      expect(serviceErrorFrom(error).reason).toBe('not_found');
    });
    expect(limitsGiven.length).toBeGreaterThan(0);
    for (const limits of limitsGiven) expect(limits.timeoutMs).toBeLessThanOrEqual(4_000);
    const isGated = ['replayDelivery', 'previewBulkReplay', 'createBulkReplay', 'cancelBulkReplay'].includes(
      method,
    );
    expect(limitsGiven.map((limits) => limits.companyId)).toEqual(
      limitsGiven.map(() => (isGated ? companyId : undefined)),
    );
  });
});
