import { expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { EVENT_REPLAY_EXAMPLE } from '@partner/proto-contracts/resources/event-replay/event-replay';
import { replayInstallerEventsOperation } from '@partner/proto-contracts/resources/event-replay/operations';
import { createSurfaceOf, keys } from './testing/create-test-app.js';

const EXPIRES = new Date('2026-10-16T12:00:00Z');

function createFixture() {
  const json = JSON.stringify({ replays: [EVENT_REPLAY_EXAMPLE] });
  const idempotency = { replayed: false, expiresAt: EXPIRES };
  const surface = createSurfaceOf(replayInstallerEventsOperation, () => ({ json, idempotency }));
  const headers = { 'user-agent': 'sync/2', 'idempotency-key': 'lost:1' };
  const post = (body: object) => surface.send('post', '/events/replay').set(headers).send(body);
  return { ...surface, post };
}

test('starts a replay for the company of the key, which is named, under the idempotency key [REPLAY-6, REPLAY-8]', async () => {
  const { post, requests } = createFixture();
  const body = { subscriptionId: newId('whk'), fromSequence: 7, toSequence: 9, event: 'install.*' };
  const response = await post(body);
  expect([response.status, response.body]).toEqual([
    202,
    { apiVersion: '2026-08-26', replays: [EVENT_REPLAY_EXAMPLE] },
  ]);
  expect(response.headers['idempotency-expires']).toBe(EXPIRES.toISOString());
  expect(requests).toMatchObject([
    {
      caller: { kind: 'key', companyId: 'cmp_1', keyId: keys.installer.keyId, userAgent: 'sync/2' },
      body: { ...body, perMinute: 600 },
      idempotencyKey: { key: 'lost:1' },
    },
  ]);
});

test('names the field that is wrong and calls nothing [REPLAY-6]', async () => {
  const { post, requests } = createFixture();
  for (const [body, path] of [
    [{}, 'fromSequence'],
    [{ fromSequence: 3 }, 'toSequence'],
    [{ fromSequence: 3, toSequence: 2 }, 'toSequence'],
    [{ fromSequence: 1, toSequence: 100_001 }, 'toSequence'],
    [{ from: '2026-09-01T10:00:00Z', to: '2026-12-01T10:00:00Z' }, 'to'],
    [{ eventIds: [newId('evt')], fromSequence: 1, toSequence: 1 }, 'eventIds'],
    [{ eventIds: Array.from({ length: 1_001 }, () => newId('evt')) }, 'eventIds'],
  ] as const) {
    const { status, text } = await post(body);
    expect([status, text]).toEqual([400, expect.stringContaining(`"path":"${path}"`)]);
  }
  expect(requests).toEqual([]);
});
