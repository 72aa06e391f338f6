import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { API_VERSION_LIVES } from '@partner/proto-contracts/api/versions';
import { EVENT_EXAMPLE } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { eventFeed } from '@partner/proto-contracts/resources/event-feed/event-feed';
import { listInstallerEventsOperation } from '@partner/proto-contracts/resources/event-feed/operations';
import { EVENT_REPLAY_EXAMPLE } from '@partner/proto-contracts/resources/event-replay/event-replay';
import { replayInstallerEventsOperation } from '@partner/proto-contracts/resources/event-replay/operations';
import { listJobFeedOperation } from '@partner/proto-contracts/resources/feed-entry/operations';
import { MANIFEST_EXAMPLE } from '@partner/proto-contracts/resources/manifest/manifest';
import { getInstallerManifestOperation } from '@partner/proto-contracts/resources/manifest/operations';
import { listTechniciansOperation } from '@partner/proto-contracts/resources/technician/operations';
import { techniciansResponse } from '@partner/proto-contracts/resources/technician/technician';
import { INSTALLER_OPERATIONS } from '@partner/proto-contracts/surfaces/installer';
import { idFloor, newId } from '@partner/kernel/process/ids';
import { serviceSignature, standardWebhooksSignature } from '@partner/kernel/security/webhook-signature';
import { assertError } from '@partner/gateway-kit/testing/http-app-fixture';
import { probeSurface } from '@partner/test-kit/probe-surface';
import { API_VERSIONS } from './app.js';
import {
  createSurfaceOf,
  createTestApp,
  cursors,
  keys,
  projectionText,
  technicianCursors,
} from './testing/create-test-app.js';

const apiVersion = '2026-08-26';

describe('the installer surface', () => {
  test('serves only the current version, which the changelog announces [VERSION-3]', () => {
    expect(API_VERSIONS.current.date).toBe(apiVersion);
    expect(API_VERSIONS.select('2026-08-25').problem).toBe(`must be ${apiVersion}`);
    const file = path.join(import.meta.dirname, '../../../CHANGELOG.md');
    const changelog = readFileSync(file, 'utf8').split('\n');
    for (const { announced } of API_VERSION_LIVES) expect(changelog).toContain(`## ${announced}`);
  });

  test('requires a key for each operation, and has no other method or path', async () => {
    await expect(probeSurface(createTestApp(), INSTALLER_OPERATIONS)).resolves.toEqual([]);
  });

  test("limits a company to 60 requests in a minute, or to the company's own limit [LIMIT-1, LIMIT-4]", async () => {
    const { send } = createFeed();
    for (const [key, limit] of [
      [keys.installer, 60],
      [keys.favoured, 100],
    ] as const) {
      for (let sent = 0; sent < limit; sent += 1) {
        const response = await send('get', '/jobs?limit=0', key);
        expect(response.status).toBe(400);
        expect(response.headers['ratelimit']).toBe(`"default";r=${limit - sent - 1};t=60`);
      }
      const refused = await send('get', '/jobs', key);
      assertError(refused, 429, 'rate_limited');
      expect(refused.headers['ratelimit-policy']).toBe(`"default";q=${limit};w=60`);
      expect(refused.headers['retry-after']).toBe('61');
    }
  });
});

const resourceJson = projectionText({ version: 4, id: 'job_1', status: 'EN_ROUTE' });
const entry = (sequence: number) =>
  `{"sequence":${sequence},"changedAt":"2026-09-01T11:00:0${sequence}.000Z","resource":${resourceJson}}`;
const cursorAfter = (companyId: string, sequence: string) => cursors.encode(companyId, sequence);

/** A company with two feed entries, or without any. */
function createFeed(hasEntries = true) {
  return createSurfaceOf(listJobFeedOperation, ({ after }) => ({
    json: `{"resources":[${hasEntries && after === undefined ? `${entry(6)},${entry(7)}` : ''}]}`,
    ...(hasEntries && after === undefined && { next: '7' }),
    hasMore: false,
  }));
}

describe('the feed of jobs', () => {
  test('without a cursor is the newest page, oldest entry first, with each projection passed through as text [FEED-3]', async () => {
    const { send, requests } = createFeed();
    const response = await send('get', '/jobs?limit=2');
    expect([response.status, response.type]).toEqual([200, 'application/json']);
    expect(response.headers['x-svc-api-version']).toBe(apiVersion);
    expect(response.text).toBe(
      `{"apiVersion":"${apiVersion}","resources":[${entry(6)},${entry(7)}],"nextCursor":"${cursorAfter('cmp_1', '7')}","hasMore":false}`,
    );
    expect(requests).toMatchObject([{ companyId: 'cmp_1', query: { limit: 2 } }]);
    expect(requests[0]?.after).toBeUndefined();
  });

  test('has 50 entries at most by default [FEED-2, LIMIT-5]', async () => {
    const { send, requests } = createFeed();
    await send('get', '/jobs');
    await send('get', '/jobs?limit=100&unknown=1');
    expect(requests.map(({ query }) => query)).toEqual([{ limit: 50 }, { limit: 100 }]);
  });

  test('after the last entry is an empty page with the same cursor; without any entry there is none [FEED-5]', async () => {
    const { send, requests } = createFeed();
    const cursor = cursorAfter('cmp_1', '7');
    const empty = { apiVersion, resources: [], hasMore: false };
    expect((await send('get', `/jobs?cursor=${cursor}`)).body).toEqual({ ...empty, nextCursor: cursor });
    expect(requests).toMatchObject([{ after: '7' }]);
    expect((await createFeed(false).send('get', '/jobs')).body).toEqual({ ...empty, nextCursor: null });
  });

  test('refuses a cursor of another company, a changed and any other text with 400 cursor_invalid', async () => {
    const { send, requests } = createFeed();
    for (const cursor of [cursorAfter('cmp_2', '3'), cursorAfter('cmp_1', '3').replace(/^./, 'B'), '3', '']) {
      const { error } = assertError(await send('get', `/jobs?cursor=${cursor}`), 400, 'cursor_invalid');
      expect(error).toMatch(/^cursor: /);
    }
    expect(requests).toHaveLength(0);
  });
});

describe('the list of technicians', () => {
  const technicians = ['mem_b', 'mem_a'].map((id) => ({ membershipId: id, displayName: id, active: true }));
  /** A company with technicians, and one more page before the end. */
  const createList = () =>
    createSurfaceOf(listTechniciansOperation, ({ after }) => ({
      json: JSON.stringify({ technicians }),
      ...(after === undefined && { next: 'mem_a' }),
    }));

  test('continues each page after the last technician of the page before, and has no cursor on the last page [TECH-3]', async () => {
    const { send, requests } = createList();
    const first = techniciansResponse.parse((await send('get', '/technicians')).body);
    expect(first).toMatchObject({ apiVersion, technicians, hasMore: true });
    const next = `/technicians?limit=2&cursor=${first.nextCursor}`;
    const last = techniciansResponse.parse((await send('get', next)).body);
    expect(last).toMatchObject({ technicians, nextCursor: null, hasMore: false });
    expect(requests).toMatchObject([
      { companyId: 'cmp_1', after: undefined, query: { limit: 2_000 } },
      { companyId: 'cmp_1', after: 'mem_a', query: { limit: 2 } },
    ]);
  });

  test('is 400 cursor_invalid with a cursor of another company, of the feed or an invented one', async () => {
    const { send, requests } = createList();
    for (const cursor of [technicianCursors.encode('cmp_2', 'mem_b'), cursorAfter('cmp_1', '1'), 'x', ''])
      assertError(await send('get', `/technicians?cursor=${cursor}`), 400, 'cursor_invalid');
    expect(requests).toEqual([]);
  });
});

/** The headers of a webhook with this body, signed with the key of the caller. */
function signedHeaders(eventId: string, body: string) {
  const secret = `whsec_${Buffer.from(keys.installer.text).toString('base64')}`;
  const timestamp = Date.parse('2026-09-01T12:00:00Z') / 1_000;
  const signed = { secret, timestamp, eventId, body: Buffer.from(body, 'utf8') };
  return {
    'x-svc-timestamp': String(timestamp),
    'x-svc-signature': serviceSignature(signed),
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standardWebhooksSignature(signed),
  };
}

test('a manifest is signed with the key of the caller, over the raw body, as webhooks are [DELIVERY-25, EVENT-11]', async () => {
  const json = JSON.stringify(MANIFEST_EXAMPLE);
  const { send, requests } = createSurfaceOf(getInstallerManifestOperation, () => ({ json }));
  const [id, after] = [newId('whk'), idFloor('dlv', new Date('2026-08-31T12:00:00Z'))];
  const query = { from: '2026-09-01T09:00:00Z', limit: 10 };
  const { text, headers, status } = await send(
    'get',
    `/webhooks/${id}/manifest?from=${query.from}&limit=${query.limit}&cursor=${after}`,
  );
  expect([status, JSON.parse(text)]).toEqual([200, { apiVersion, ...MANIFEST_EXAMPLE }]);
  expect(headers).toMatchObject(signedHeaders(id, text));
  expect(requests).toMatchObject([{ companyId: 'cmp_1', params: { id }, after, query }]);
});

describe('the feed of events', () => {
  // Its exact bytes matter: spaces, and characters that JSON escapes.
  const body = JSON.stringify({ ...EVENT_EXAMPLE, note: 'Zoë “said” \\ \u2028' }, null, 1);
  const createEvents = () =>
    createSurfaceOf(listInstallerEventsOperation, ({ after }) => {
      const event = { sequence: '7', eventId: EVENT_EXAMPLE.id, event: EVENT_EXAMPLE.event, body };
      const json = JSON.stringify({ events: after === undefined ? [event] : [] });
      return { json, next: '7:2026-09-01', hasMore: false };
    });

  test('shows the exact bodies, signed with the key of the caller as webhooks are [EVENT-9, EVENT-11]', async () => {
    const [event] = eventFeed.parse((await createEvents().send('get', '/events')).body).events;
    expect(event).toMatchObject({ sequence: 7, body });
    const signed = signedHeaders(EVENT_EXAMPLE.id, body);
    expect(event?.headers).toEqual({ 'x-svc-event': EVENT_EXAMPLE.event, ...signed });
  });

  test('continues after the cursor, of which a reader without new events gets the one of today [EVENT-10]', async () => {
    const { send, requests } = createEvents();
    const read = async (query: string) => eventFeed.parse((await send('get', `/events?${query}`)).body);
    const { nextCursor } = await read('event=install.*&resourceId=job_1&limit=5');
    expect(await read(`cursor=${nextCursor}`)).toEqual({ events: [], nextCursor, hasMore: false });
    const query = { limit: 5, event: 'install.*', resourceId: 'job_1' };
    expect(requests).toMatchObject([
      { companyId: 'cmp_1', after: undefined, query },
      { after: '7:2026-09-01' },
    ]);
  });
});

describe('a replay of events', () => {
  const expiresAt = new Date('2026-10-16T12:00:00Z');

  function createReplays() {
    const reply = {
      json: JSON.stringify({ replays: [EVENT_REPLAY_EXAMPLE] }),
      idempotency: { replayed: false, expiresAt },
    };
    const { send, requests } = createSurfaceOf(replayInstallerEventsOperation, () => reply);
    const headers = { 'user-agent': 'sync/2', 'idempotency-key': 'lost:1' };
    return { requests, post: (body: object) => send('post', '/events/replay').set(headers).send(body) };
  }

  test('starts for the company of the key, which is named, under the idempotency key [REPLAY-6, REPLAY-8]', async () => {
    const { post, requests } = createReplays();
    const body = { subscriptionId: newId('whk'), fromSequence: 7, toSequence: 9, event: 'install.*' };
    const response = await post(body);
    expect([response.status, response.body]).toEqual([202, { apiVersion, replays: [EVENT_REPLAY_EXAMPLE] }]);
    expect(response.headers['idempotency-expires']).toBe(expiresAt.toISOString());
    expect(requests).toMatchObject([
      {
        caller: { kind: 'key', companyId: 'cmp_1', keyId: keys.installer.keyId, userAgent: 'sync/2' },
        body: { ...body, perMinute: 600 },
        idempotencyKey: { key: 'lost:1' },
      },
    ]);
  });

  test('names the field that is wrong and calls nothing [REPLAY-6]', async () => {
    const { post, requests } = createReplays();
    for (const [body, field] of [
      [{}, 'fromSequence'],
      [{ fromSequence: 3 }, 'toSequence'],
      [{ fromSequence: 3, toSequence: 2 }, 'toSequence'],
      [{ fromSequence: 1, toSequence: 100_001 }, 'toSequence'],
      [{ from: '2026-09-01T10:00:00Z', to: '2026-12-01T10:00:00Z' }, 'to'],
      [{ eventIds: [newId('evt')], fromSequence: 1, toSequence: 1 }, 'eventIds'],
      [{ eventIds: Array.from({ length: 1_001 }, () => newId('evt')) }, 'eventIds'],
    ] as const) {
      const { status, text } = await post(body);
      expect([status, text]).toEqual([400, expect.stringContaining(`"path":"${field}"`)]);
    }
    expect(requests).toEqual([]);
  });
});
