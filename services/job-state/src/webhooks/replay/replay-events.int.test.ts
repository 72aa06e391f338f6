import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { createClient } from '@connectrpc/connect';
import { describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import { createInMemoryTransport, partialRpcService } from '@partner/kernel/testing/in-memory-transport';
import { EventFeedService } from '@partner/proto-contracts/gen/partner/webhooks/v1/event_feed_service_pb';
import {
  eventReplayPreview,
  eventReplays,
} from '@partner/proto-contracts/resources/event-replay/event-replay';
import { bulkReplay } from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import { readResource } from '@partner/proto-contracts/resource-json';
import { failureOf } from '../../testing/subscription-fixture.js';
import { binding } from '../../testing/test-jobs.js';
import { eventsOf, HOUR_MS, queuedBy, runToEnd, step, stepOf } from '../testing/bulk-replay-fixture.js';
import { companyWith, fixture, logger } from '../testing/delivery-service-fixture.js';
import { createEventReplayRpcs } from './event-replay-rpcs.js';

const clock = () => new Date();

function connect() {
  const { database } = fixture;
  return createClient(
    EventFeedService,
    createInMemoryTransport([
      partialRpcService(EventFeedService, createEventReplayRpcs({ database, clock, logger })),
    ]),
  );
}

type Request = Parameters<ReturnType<typeof connect>['replayEvents']>[0];
type PreviewRequest = Parameters<ReturnType<typeof connect>['previewEventReplay']>[0];

const replay = async (request: Request) =>
  readResource(eventReplays, await connect().replayEvents({ perMinute: 60_000, ...request })).replays;

/** Starts a replay to one subscription, runs it to its end, and returns the queued deliveries. */
async function replayed(
  side: { readonly companyId: string; readonly subscriptionId: string },
  selection: object,
) {
  const [begun] = await replay({ ...side, selection });
  invariant(begun, 'one replay');
  const ended = await runToEnd({ companyId: side.companyId, replayId: begun.id });
  const queued = await queuedBy(side.subscriptionId, begun.id);
  expect(ended).toMatchObject({ kind: 'events', states: null, state: 'done', queued: queued.length });
  return { begun, queued };
}

const around = (ms = HOUR_MS) => ({
  from: timestampFromDate(new Date(Date.now() - ms)),
  to: timestampFromDate(new Date(Date.now() + ms)),
});

/** A company with four events: delivered, dead-lettered, unfinished, and recorded while its subscription was paused. */
async function companyWithFour() {
  const side = await companyWith(3);
  await fixture.setState(side.subscriptionId, 'paused');
  const paused = await fixture.event(side.companyId);
  await fixture.setState(side.subscriptionId, 'active');
  const [delivered, dead, unfinished] = side.deliveries;
  invariant(delivered && dead && unfinished, 'three deliveries');
  await fixture.finish('delivered', delivered.id);
  await fixture.finish('dead_lettered', dead.id);
  return { ...side, delivered, dead, unfinished, paused };
}

describe('a replay of events', () => {
  test('queues those of its numbers once that the webhook has no unfinished delivery of [REPLAY-7]', async () => {
    const side = await companyWithFour();
    const { begun, queued } = await replayed(side, { fromSequence: '1', toSequence: '99' });
    expect(begun.total).toBe(4);
    expect(queued.map(({ event_id }) => event_id)).toEqual([
      side.delivered.event_id,
      side.dead.event_id,
      side.paused,
    ]);
    const of = await fixture.database.query<{ replay_of: string | null }>(
      'select replay_of from deliveries where bulk_replay_id = $1 order by id',
      [begun.id],
    );
    expect(of.map(({ replay_of }) => replay_of)).toEqual([side.delivered.id, side.dead.id, null]);
    expect((await replayed(side, { fromSequence: '4', toSequence: '4' })).queued).toEqual([]);
  });

  test('queues the events of a span of time, or with these ids, that its filter names [REPLAY-7]', async () => {
    const side = await companyWithFour();
    const { delivered, dead, paused } = side;
    const byId = await replayed(side, { eventIds: [paused, dead.event_id, dead.event_id] });
    expect(eventsOf(byId.queued)).toEqual([dead.event_id, paused].sort());
    expect((await replayed(side, { ...around(), event: 'install.job_assigned' })).queued).toEqual([]);
    const byTime = await replayed(side, { ...around(), event: 'install.*' });
    expect(eventsOf(byTime.queued)).toEqual([delivered.event_id]);
  });

  test('is sent to each active webhook that receives one of the events, unless it names one [REPLAY-6]', async () => {
    const side = await companyWith(1);
    const { companyId } = side;
    const second = await fixture.subscription({ companyId });
    const held = await fixture.subscription({ companyId, state: 'paused' });
    for (const other of [{ events: ['install.test'] }, { schemaVersion: 2 }])
      await fixture.subscription({ companyId, ...other });
    const selection = { fromSequence: '1', toSequence: '1' };
    const begun = await replay({ companyId, selection });
    expect(begun.map(({ subscriptionId }) => subscriptionId).sort()).toEqual(
      [side.subscriptionId, second].sort(),
    );
    const [waiting] = await replay({ companyId, subscriptionId: held, selection });
    invariant(waiting, 'one replay');
    await stepOf(waiting.id);
    expect(await queuedBy(held, waiting.id)).toEqual([]);
    await fixture.setState(held, 'active');
    await stepOf(waiting.id);
    expect(await queuedBy(held, waiting.id)).toHaveLength(1);
  });

  test('is previewed with its counts, and its failures, without being started [REPLAY-9]', async () => {
    const side = await companyWithFour();
    const { companyId, subscriptionId, paused } = side;
    const held = await fixture.subscription({ companyId, state: 'paused' });
    const other = await fixture.subscription({ companyId, events: ['install.test'] });
    const preview = async (request: PreviewRequest) =>
      readResource(eventReplayPreview, await connect().previewEventReplay(request));
    const selection = { fromSequence: '2', toSequence: '99' };
    const all = await preview({ companyId, selection });
    expect(all).toMatchObject({ webhooks: [{ subscriptionId, events: 3 }], atLeast: false });
    for (const [named, events] of [
      [held, 3],
      [other, 0],
    ] as const) {
      const { webhooks } = await preview({ companyId, subscriptionId: named, selection });
      expect(webhooks).toEqual([{ subscriptionId: named, events }]);
    }
    const started = 'select 1 from bulk_replays where company_id = $1';
    expect(await fixture.database.query(started, [companyId])).toEqual([]);
    const [begun] = await replay({ companyId, selection });
    expect(begun).toMatchObject({ total: 3, from: all.from, to: all.to });
    const stranger = await companyWith(1);
    for (const request of [
      { companyId: stranger.companyId, selection: { eventIds: [paused] } },
      { companyId: stranger.companyId, subscriptionId, selection },
    ])
      expect(await failureOf(preview(request))).toMatchObject({ reason: 'not_found' });
    const empty = failureOf(preview({ companyId, selection: {} }));
    expect(await empty).toMatchObject({ reason: 'invalid_argument' });
  });

  test('starts once for an idempotency key, and one at a time for a webhook [REPLAY-6]', async () => {
    const side = await companyWith(1);
    const { companyId, subscriptionId } = side;
    const request = {
      companyId,
      selection: { fromSequence: '1', toSequence: '1' },
      idempotencyKey: binding(newId('evt')),
    };
    const first = await replay(request);
    expect(await replay(request)).toEqual(first);
    const other = await fixture.subscription({ companyId });
    const second = await failureOf(replay({ companyId, selection: around() }));
    expect(second).toMatchObject({
      reason: 'replay_in_progress',
      message: expect.stringContaining(first[0]?.id ?? '-'),
    });
    const started = await fixture.database.query(
      'select 1 from bulk_replays where subscription_id = any($1::text[])',
      [[subscriptionId, other]],
    );
    expect(started).toHaveLength(1);
  });

  test('waits for its rate, and is never due to a previous version of the service [REPLAY-7]', async () => {
    const side = await companyWith(2);
    await fixture.finish('delivered', ...side.deliveries.map(({ id }) => id));
    const [begun] = await replay({ ...side, selection: around(), perMinute: 1 });
    invariant(begun, 'one replay');
    await stepOf(begun.id);
    expect(await queuedBy(side.subscriptionId, begun.id)).toHaveLength(1);
    expect(await step()).toBe('idle');
    const [due] = await fixture.database.query<{ never: boolean }>(
      `select next_run_at = 'infinity' as never from bulk_replays where id = $1`,
      [begun.id],
    );
    expect(due).toEqual({ never: true });
  });

  test('is shown to its company and cancelled by it, with both in the audit trail, and an owner has others [REPLAY-8]', async () => {
    const side = await companyWith(1);
    const { companyId, subscriptionId } = side;
    const key = { displayName: 'API key key_1', remoteAddress: '192.0.2.7' };
    const [begun] = await replay({
      companyId,
      selection: { eventIds: [side.deliveries[0]?.event_id ?? ''] },
      actor: key,
    });
    invariant(begun, 'one replay');
    const client = connect();
    const shown = readResource(bulkReplay, await client.getEventReplay({ companyId, replayId: begun.id }));
    expect(shown).toEqual(begun);
    const foreign = { companyId: await fixture.company(), replayId: begun.id };
    const [owners] = await fixture.database.query<{ id: string }>(
      `insert into bulk_replays (id, subscription_id, company_id, kind, from_time, to_time, per_minute, total)
       values ($1, $2, $3, 'replay', now(), now(), 1, 0) returning id`,
      [newId('rpl'), subscriptionId, companyId],
    );
    for (const of of [foreign, { companyId, replayId: owners?.id ?? '' }]) {
      expect(await failureOf(client.getEventReplay(of))).toMatchObject({ reason: 'not_found' });
      expect(await failureOf(client.cancelEventReplay(of))).toMatchObject({ reason: 'not_found' });
    }
    const cancel = () => client.cancelEventReplay({ companyId, replayId: begun.id, actor: key });
    expect(readResource(bulkReplay, await cancel())).toMatchObject({ state: 'cancelled' });
    await cancel();
    const audited = await fixture.database.query(
      `select action, display_name, membership_id, remote_address, details ->> 'eventIds' as ids from audit_entries
       where subject_id = $1 order by id`,
      [begun.id],
    );
    const by = { display_name: 'API key key_1', membership_id: null, remote_address: '192.0.2.7' };
    expect(audited).toEqual([
      { action: 'bulk_replay.started', ...by, ids: '1' },
      { action: 'bulk_replay.cancelled', ...by, ids: null },
    ]);
  });

  test('is refused for what the company does not have, for expired events, and for an invalid selection [REPLAY-6]', async () => {
    const side = await companyWith(1);
    const { companyId, subscriptionId } = side;
    const foreign = await companyWith(1);
    const one = { fromSequence: '1', toSequence: '1' };
    const eventId = side.deliveries[0]?.event_id ?? '';
    const refusals: readonly (readonly [Request, string, string])[] = [
      [
        { companyId, subscriptionId: foreign.subscriptionId, selection: one },
        'not_found',
        'webhook subscription',
      ],
      [
        { companyId, selection: { eventIds: [eventId, foreign.deliveries[0]?.event_id ?? ''] } },
        'not_found',
        'event',
      ],
      [{ companyId, selection: { fromSequence: '2', toSequence: '2' } }, 'invalid_argument', 'fromSequence'],
      [{ companyId, selection: { ...one, eventIds: [eventId] } }, 'invalid_argument', 'eventIds'],
      [{ companyId, selection: {} }, 'invalid_argument', 'fromSequence'],
      [
        { companyId, selection: { fromSequence: '1', toSequence: '100001' } },
        'invalid_argument',
        'toSequence',
      ],
      [{ companyId, selection: { from: around().to, to: around().from } }, 'invalid_argument', 'to'],
    ];
    for (const [request, reason, named] of refusals) {
      const failure = await failureOf(replay(request));
      expect([failure.reason, failure.message]).toEqual([reason, expect.stringContaining(named)]);
    }
    await fixture.database.query('delete from deliveries where subscription_id = $1', [subscriptionId]);
    await fixture.database.query('delete from events where company_id = $1', [companyId]);
    expect(await failureOf(replay({ companyId, selection: one }))).toMatchObject({ reason: 'event_expired' });
  });
});
