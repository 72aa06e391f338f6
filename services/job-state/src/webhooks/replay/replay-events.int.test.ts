import { describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import type { OperationCall } from '@partner/proto-contracts/call';
import * as operations from '@partner/proto-contracts/resources/event-replay/operations';
import { installerKey } from '../../testing/callers.js';
import { type OneResponse, installerResponse } from '../../testing/parsed-response.js';
import { failureOf } from '../../testing/subscription-fixture.js';
import { eventsOf, neverDue, queuedBy, runToEnd, step, stepOf } from '../testing/bulk-replay-fixture.js';
import { fixture, logger } from '../testing/delivery-fixture.js';
import { eventReplayOperations } from './replay-operations.js';

interface Request {
  readonly companyId: string;
  readonly subscriptionId?: string;
  readonly selection: object;
  readonly perMinute?: number;
  readonly idempotencyKey?: OperationCall['idempotencyKey'];
}

async function call<Output>(
  operation: OneResponse<Output>,
  companyId: string,
  sent: Omit<OperationCall, 'caller'>,
): Promise<Output> {
  const { database } = fixture;
  const implementations = eventReplayOperations({ database, clock: () => new Date(), logger });
  const caller = { ...installerKey(companyId), remoteAddress: '192.0.2.7' };
  const served = inProcessOperations({ implementations, callers: ['key'] });
  return installerResponse(operation, await served.call(operation, { caller, ...sent }));
}

const bodyOf = ({ subscriptionId, selection, perMinute = 60_000 }: Request) => ({
  ...{ subscriptionId, perMinute },
  ...selection,
});

async function replay(request: Request) {
  const { companyId, idempotencyKey = key() } = request;
  const sent = { body: bodyOf(request), idempotencyKey };
  return (await call(operations.replayInstallerEventsOperation, companyId, sent)).replays;
}

const key = () => ({ key: newId('evt'), request: 'POST /replay', bodySha256: '00'.repeat(32) });

async function replayOne(request: Request) {
  const [begun] = await replay(request);
  invariant(begun, 'one replay');
  return begun;
}

/** Starts a replay to one subscription, runs it to its end, and returns the queued deliveries. */
async function replayed(
  side: { readonly companyId: string; readonly subscriptionId: string },
  selection: object,
) {
  const begun = await replayOne({ ...side, selection });
  const ended = await runToEnd({ companyId: side.companyId, replayId: begun.id });
  const queued = await queuedBy(side.subscriptionId, begun.id);
  expect(ended).toMatchObject({ kind: 'events', states: null, state: 'done', queued: queued.length });
  return { begun, queued };
}

const around = (ms = 3_600_000) => ({
  from: new Date(Date.now() - ms).toISOString(),
  to: new Date(Date.now() + ms).toISOString(),
});

/** A company with four events: delivered, dead-lettered, unfinished, and recorded while its subscription was paused. */
async function companyWithFour() {
  const side = await fixture.companyWith(3);
  await fixture.setState(side.subscriptionId, 'paused');
  const paused = await fixture.event(side.companyId);
  await fixture.setState(side.subscriptionId, 'active');
  const [delivered, dead, unfinished] = side.deliveries;
  await fixture.finish('delivered', delivered.id);
  await fixture.finish('dead_lettered', dead.id);
  return { ...side, delivered, dead, unfinished, paused };
}

describe('a replay of events', () => {
  test('queues those of its numbers once that the webhook has no unfinished delivery of [REPLAY-7]', async () => {
    const side = await companyWithFour();
    const { begun, queued } = await replayed(side, { fromSequence: 1, toSequence: 99 });
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
    expect((await replayed(side, { fromSequence: 4, toSequence: 4 })).queued).toEqual([]);
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

  test('is sent to each active webhook that receives one of the events, unless it names one, and waits while that is paused [REPLAY-3, REPLAY-6]', async () => {
    const side = await fixture.companyWith(1);
    const { companyId } = side;
    const second = await fixture.subscription({ companyId });
    const held = await fixture.subscription({ companyId, state: 'paused' });
    for (const other of [{ events: ['install.test'] }, { schemaVersion: 2 }])
      await fixture.subscription({ companyId, ...other });
    const selection = { fromSequence: 1, toSequence: 1 };
    const begun = await replay({ companyId, selection });
    expect(begun.map(({ subscriptionId }) => subscriptionId).sort()).toEqual(
      [side.subscriptionId, second].sort(),
    );
    const waiting = await replayOne({ companyId, subscriptionId: held, selection });
    await stepOf(waiting.id);
    expect(await queuedBy(held, waiting.id)).toEqual([]);
    const state = () => fixture.database.query('select state from bulk_replays where id = $1', [waiting.id]);
    expect(await state()).toEqual([{ state: 'running' }]);
    await fixture.setState(held, 'active');
    await stepOf(waiting.id);
    expect(await queuedBy(held, waiting.id)).toHaveLength(1);
  });

  test('is previewed with its counts, and its failures, without being started [REPLAY-9]', async () => {
    const side = await companyWithFour();
    const { companyId, subscriptionId, paused } = side;
    const held = await fixture.subscription({ companyId, state: 'paused' });
    const other = await fixture.subscription({ companyId, events: ['install.test'] });
    const preview = (request: Request) =>
      call(operations.previewInstallerEventReplayOperation, request.companyId, { body: bodyOf(request) });
    const selection = { fromSequence: 2, toSequence: 99 };
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
    const stranger = await fixture.companyWith(1);
    for (const request of [
      { companyId: stranger.companyId, selection: { eventIds: [paused] } },
      { companyId: stranger.companyId, subscriptionId, selection },
    ])
      expect(await failureOf(preview(request))).toMatchObject({ reason: 'not_found' });
    const empty = failureOf(preview({ companyId, selection: {} }));
    expect(await empty).toMatchObject({ reason: 'invalid_argument' });
  });

  test('starts once for an idempotency key, and one at a time for a webhook [REPLAY-6]', async () => {
    const { companyId, subscriptionId } = await fixture.companyWith(1);
    const selection = { fromSequence: 1, toSequence: 1 };
    const request = { companyId, selection, idempotencyKey: key() };
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
    const side = await fixture.companyWithFinished('delivered', 2);
    const begun = await replayOne({ ...side, selection: around(), perMinute: 1 });
    await stepOf(begun.id);
    expect(await queuedBy(side.subscriptionId, begun.id)).toHaveLength(1);
    expect(await step()).toBe('idle');
    expect(await neverDue(begun.id)).toBe(true);
  });

  test('is shown to its company and cancelled by it, with both in the audit trail, and an owner has others [REPLAY-8]', async () => {
    const { companyId, subscriptionId, eventId } = await fixture.companyWith(1);
    const begun = await replayOne({ companyId, selection: { eventIds: [eventId] } });
    const get = (of: string, id: string) =>
      call(operations.getInstallerEventReplayOperation, of, { params: { id } });
    const cancel = (of: string, id: string) =>
      call(operations.cancelInstallerEventReplayOperation, of, { params: { id } });
    expect(await get(companyId, begun.id)).toMatchObject(begun);
    const [owners] = await fixture.database.query<{ id: string }>(
      `insert into bulk_replays (id, subscription_id, company_id, kind, from_time, to_time, per_minute, total)
       values ($1, $2, $3, 'replay', now(), now(), 1, 0) returning id`,
      [newId('rpl'), subscriptionId, companyId],
    );
    for (const [of, id] of [
      [await fixture.company(), begun.id],
      [companyId, owners?.id ?? ''],
      [companyId, 'rpl_1'],
    ] as const) {
      expect(await failureOf(get(of, id))).toMatchObject({ reason: 'not_found' });
      expect(await failureOf(cancel(of, id))).toMatchObject({ reason: 'not_found' });
    }
    expect(await cancel(companyId, begun.id)).toMatchObject({ state: 'cancelled' });
    await cancel(companyId, begun.id);
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

  test('is refused for what the company does not have, for expired events, and for a number that no event has [REPLAY-6]', async () => {
    const { companyId, subscriptionId, eventId } = await fixture.companyWith(1);
    const foreign = await fixture.companyWith(1);
    const one = { fromSequence: 1, toSequence: 1 };
    for (const [request, reason, named] of [
      [{ subscriptionId: foreign.subscriptionId, selection: one }, 'not_found', 'webhook subscription'],
      [{ selection: { eventIds: [eventId, foreign.eventId] } }, 'not_found', 'event'],
      [{ selection: { fromSequence: 2, toSequence: 2 } }, 'invalid_argument', 'fromSequence'],
      [{ selection: { eventIds: ['evt_1'] } }, 'not_found', 'event evt_1'],
      [{ subscriptionId: 'whk_1', selection: one }, 'not_found', 'webhook subscription'],
    ] as const) {
      const failure = await failureOf(replay({ companyId, ...request }));
      expect([failure.reason, failure.message]).toEqual([reason, expect.stringContaining(named)]);
    }
    await fixture.database.query('delete from deliveries where subscription_id = $1', [subscriptionId]);
    await fixture.database.query('delete from events where company_id = $1', [companyId]);
    expect(await failureOf(replay({ companyId, selection: one }))).toMatchObject({ reason: 'event_expired' });
  });
});
