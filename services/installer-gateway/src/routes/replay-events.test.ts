import { expect, test } from '@jest/globals';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { newId } from '@partner/kernel/ids';
import { ServiceError } from '@partner/kernel/service-error';
import type {
  CancelEventReplayRequest,
  GetEventReplayRequest,
  PreviewEventReplayRequest,
  ReplayEventsRequest,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/event_feed_service_pb';
import {
  EVENT_REPLAY_EXAMPLE,
  EVENT_REPLAY_PREVIEW_EXAMPLE,
} from '@partner/proto-contracts/resources/event-replay/event-replay';
import request from 'supertest';
import { assertError } from '../testing/assert-error.js';
import { createTestApp, keys } from '../testing/create-test-app.js';

const EXPIRES = new Date('2026-10-16T12:00:00Z');

function createFixture(failure?: ServiceError) {
  const requests: (
    ReplayEventsRequest | PreviewEventReplayRequest | GetEventReplayRequest | CancelEventReplayRequest
  )[] = [];
  const app = createTestApp({
    eventFeed: {
      replayEvents(received) {
        requests.push(received);
        if (failure !== undefined) throw failure;
        return {
          resourceJson: JSON.stringify({ replays: [EVENT_REPLAY_EXAMPLE] }),
          idempotency: { replayed: false, expiresAt: timestampFromDate(EXPIRES) },
        };
      },
      previewEventReplay(received) {
        requests.push(received);
        return { resourceJson: JSON.stringify(EVENT_REPLAY_PREVIEW_EXAMPLE) };
      },
      getEventReplay(received) {
        requests.push(received);
        return { resourceJson: JSON.stringify(EVENT_REPLAY_EXAMPLE) };
      },
      cancelEventReplay(received) {
        requests.push(received);
        return { resourceJson: JSON.stringify({ ...EVENT_REPLAY_EXAMPLE, state: 'cancelled' }) };
      },
    },
  });
  const as = (sent: request.Test) =>
    sent.set('x-api-key', keys.installer.text).set('user-agent', 'sync/2').set('idempotency-key', 'lost:1');
  return {
    requests,
    post: (body: object) => as(request(app).post('/partner/v1/events/replay')).send(body),
    preview: (body: object) => as(request(app).post('/partner/v1/events/replay/preview')).send(body),
    get: (id: string) => as(request(app).get(`/partner/v1/events/replays/${id}`)),
    cancel: (id: string) => as(request(app).delete(`/partner/v1/events/replays/${id}`)),
  };
}

const actor = { displayName: `API key ${keys.installer.keyId}`, userAgent: 'sync/2' };

test('starts a replay for the company of the key, which is named, under the idempotency key [REPLAY-6, REPLAY-8]', async () => {
  const { post, requests } = createFixture();
  const subscriptionId = newId('whk');
  const response = await post({ subscriptionId, fromSequence: 7, toSequence: 9, event: 'install.*' });
  expect([response.status, response.body]).toEqual([
    202,
    { apiVersion: '2026-08-26', replays: [EVENT_REPLAY_EXAMPLE] },
  ]);
  expect(response.headers['idempotency-expires']).toBe(EXPIRES.toISOString());
  const [from, to] = ['2026-09-01T10:00:00.000Z', '2026-09-01T11:00:00.000Z'] as const;
  await post({ from, to, perMinute: 5 });
  const eventIds = [newId('evt')];
  await post({ eventIds });
  const byKey = { companyId: 'cmp_1', actor, idempotencyKey: { key: 'lost:1' } };
  expect(requests).toMatchObject([
    {
      ...byKey,
      subscriptionId,
      perMinute: 600,
      selection: { fromSequence: '7', toSequence: '9', event: 'install.*' },
    },
    { ...byKey, perMinute: 5, selection: { eventIds: [] } },
    { ...byKey, selection: { eventIds } },
  ]);
  const [, byTime] = requests;
  const selection = byTime !== undefined && 'selection' in byTime ? byTime.selection : undefined;
  expect([selection?.from, selection?.to].map((at) => at && timestampDate(at).toISOString())).toEqual([
    from,
    to,
  ]);
});

test('previews a replay of the company of the key [REPLAY-9]', async () => {
  const { preview, requests } = createFixture();
  const response = await preview({ fromSequence: 7, toSequence: 9, event: 'install.*' });
  expect([response.status, response.body]).toEqual([
    200,
    { apiVersion: '2026-08-26', ...EVENT_REPLAY_PREVIEW_EXAMPLE },
  ]);
  const selection = { fromSequence: '7', toSequence: '9', event: 'install.*' };
  expect(requests).toMatchObject([{ companyId: 'cmp_1', selection }]);
});

test('shows and cancels a replay of the company of the key [REPLAY-8]', async () => {
  const { get, cancel, requests } = createFixture();
  const replayId = newId('rpl');
  expect((await get(replayId)).body).toEqual({ apiVersion: '2026-08-26', ...EVENT_REPLAY_EXAMPLE });
  expect((await cancel(replayId)).body).toMatchObject({ apiVersion: '2026-08-26', state: 'cancelled' });
  expect(requests).toMatchObject([
    { companyId: 'cmp_1', replayId },
    { companyId: 'cmp_1', replayId, actor },
  ]);
  expect([(await get('rpl_1')).status, (await cancel('rpl_1')).status]).toEqual([404, 404]);
});

test('names the field that is wrong and calls nothing, and a malformed id is 404 [REPLAY-6]', async () => {
  const { post, requests } = createFixture();
  for (const [body, path] of [
    [{}, 'fromSequence'],
    [{ toSequence: 3 }, 'fromSequence'],
    [{ fromSequence: 3 }, 'toSequence'],
    [{ fromSequence: 3, toSequence: 2 }, 'toSequence'],
    [{ fromSequence: 1, toSequence: 100_001 }, 'toSequence'],
    [{ from: '2026-09-01T10:00:00Z' }, 'to'],
    [{ from: '2026-09-01T10:00:00Z', to: '2026-09-01T10:00:00Z' }, 'to'],
    [{ from: '2026-09-01T10:00:00Z', to: '2026-12-01T10:00:00Z' }, 'to'],
    [{ eventIds: [newId('evt')], fromSequence: 1, toSequence: 1 }, 'eventIds'],
    [{ eventIds: Array.from({ length: 1_001 }, () => newId('evt')) }, 'eventIds'],
  ] as const) {
    const { status, text } = await post(body);
    expect([status, text]).toEqual([400, expect.stringContaining(`"path":"${path}"`)]);
  }
  for (const body of [{ eventIds: ['evt_1'] }, { eventIds: [newId('evt')], subscriptionId: 'whk_1' }])
    expect((await post(body)).status).toBe(404);
  expect(requests).toEqual([]);
});

test('passes on why nothing was started [REPLAY-6]', async () => {
  const { post } = createFixture(new ServiceError('replay_in_progress', 'rpl_1 is still running'));
  assertError(await post({ fromSequence: 1, toSequence: 1 }), 409, 'replay_in_progress');
});
