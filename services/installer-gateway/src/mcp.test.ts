import { expect, test } from '@jest/globals';
import { listJobFeedOperation } from '@partner/proto-contracts/resources/feed-entry/operations';
import { getJobOperation } from '@partner/proto-contracts/resources/job/operations';
import { implement } from '@partner/kernel/amqp/implement';
import { withMcpClient } from '@partner/gateway-kit/testing/mcp-client';
import { newId } from '@partner/kernel/process/ids';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import {
  EVENT_REPLAY_EXAMPLE,
  EVENT_REPLAY_PREVIEW_EXAMPLE,
} from '@partner/proto-contracts/resources/event-replay/event-replay';
import request from 'supertest';
import {
  previewInstallerEventReplayOperation,
  replayInstallerEventsOperation,
} from '@partner/proto-contracts/resources/event-replay/operations';
import { getInstallerManifestOperation } from '@partner/proto-contracts/resources/manifest/operations';
import { z } from 'zod';
import { assertError } from '@partner/gateway-kit/testing/http-app-fixture';
import { createTestApp, keys, projectionText } from './testing/create-test-app.js';

const PATH = '/partner/v1/mcp';
const resourceJson = projectionText({ id: 'job_1' });
const webhookId = newId('whk');

/** A company `cmp_1` with the job `job_1` and these entries of a manifest; RPCs are recorded. */
function createFixture(entries: readonly object[] = []) {
  const rpcs: object[] = [];
  const previewed: { result: object } = { result: EVENT_REPLAY_PREVIEW_EXAMPLE };
  const time = { now: Date.parse('2026-09-01T12:00:00Z') };
  const operations = [
    implement(getJobOperation, async ({ companyId, params }) => {
      if (params.id === 'job_down') throw new ServiceError('unavailable', 'job-state is down');
      if (companyId !== 'cmp_1' || params.id !== 'job_1') throw notFound('job');
      return { json: `{"resource":${resourceJson}}` };
    }),
    implement(listJobFeedOperation, async (received) => {
      rpcs.push(received);
      return { json: '{"resources":[]}', hasMore: false };
    }),
    implement(previewInstallerEventReplayOperation, async () => ({
      json: JSON.stringify(previewed.result),
    })),
    implement(replayInstallerEventsOperation, async (received) => {
      rpcs.push(received);
      return { json: JSON.stringify({ replays: [EVENT_REPLAY_EXAMPLE] }) };
    }),
    implement(getInstallerManifestOperation, async (received) => {
      rpcs.push(received);
      const nextCursor = entries.length > 1 ? newId('dlv') : null;
      return { json: JSON.stringify({ subscriptionId: webhookId, entries, nextCursor }) };
    }),
  ];
  const app = createTestApp(operations, () => new Date(time.now));
  const post = (key = keys.installer) =>
    request(app)
      .post(PATH)
      .set('x-api-key', key.text)
      .set('accept', 'application/json, text/event-stream')
      .set('content-type', 'application/json');
  const as = <T>(key: typeof keys.installer, work: Parameters<typeof withMcpClient<T>>[2]) =>
    withMcpClient(app, { path: PATH, apiKey: key.text }, work);
  return { app, rpcs, previewed, time, post, as };
}

const listing = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

test('offers the tools of the key, with the input of their operations [MCP-1, MCP-2]', async () => {
  await createFixture().as(keys.installer, async ({ tools }) => {
    const shown = await tools();
    expect(shown.map(({ name, annotations }) => `${name} ${annotations?.readOnlyHint}`)).toEqual([
      'get_job true',
      'list_job_changes true',
      'list_events true',
      'read_manifest true',
      'explain_event true',
      'preview_replay true',
      'replay_events false',
      'get_replay true',
    ]);
    const [job, changes] = shown;
    expect(job?.inputSchema).toMatchObject({ properties: { id: { type: 'string' } }, required: ['id'] });
    expect(changes?.inputSchema).toMatchObject({
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
        view: { enum: ['snapshot'] },
      },
      required: [],
    });
    const [preview, replay] = shown.filter(({ name }) => /replay/.test(name));
    expect(preview?.inputSchema).toMatchObject({
      properties: {
        subscriptionId: { type: 'string' },
        fromSequence: { type: 'integer' },
        from: { type: 'string', format: 'date-time' },
        eventIds: { type: 'array', items: { type: 'string' } },
        event: { type: 'string' },
        perMinute: { default: 600 },
      },
      required: [],
    });
    expect(replay?.inputSchema).toMatchObject({
      properties: { ...preview?.inputSchema.properties, confirmation: { type: 'string' } },
      required: ['confirmation'],
    });
    expect(JSON.stringify(shown)).not.toMatch(/override|\$ref|oneOf/);
    for (const { name, annotations } of shown)
      expect(/^(explain|get|list|preview|read)_/.test(name)).toBe(annotations?.readOnlyHint);
  });
});

test('responds with the body of the operation, or of its error, to the company of the key [MCP-2, MCP-3]', async () => {
  const { as, rpcs } = createFixture();
  await as(keys.installer, async ({ call }) => {
    const job = await call('get_job', { id: 'job_1' });
    expect(job).toMatchObject({
      isError: false,
      text: `{"apiVersion":"2026-08-26","resource":${resourceJson}}`,
    });
    await call('list_job_changes');
    await call('list_job_changes', { limit: 7, cursor: null });
    expect(rpcs).toMatchObject([{ companyId: 'cmp_1', query: { limit: 20 } }, { query: { limit: 7 } }]);
    for (const [given, code, error] of [
      [{}, 'invalid_argument', 'id: is required'],
      [{ id: 'job_2' }, 'not_found', 'job'],
    ] as const)
      expect(await call('get_job', given)).toMatchObject({
        isError: true,
        json: { code, error: expect.stringContaining(error), requestId: expect.any(String) },
      });
    for (const given of [{ limit: 101 }, { limit: [5] }, { Limit: 5 }])
      expect(await call('list_job_changes', given)).toMatchObject({
        isError: true,
        json: { code: 'invalid_argument', error: expect.stringMatching(/^limit|^Limit/) },
      });
    await expect(call('delete_job')).rejects.toThrow('there is no tool delete_job');
    await expect(call('get_job', { id: 'job_down' })).rejects.toThrow(/"code":"unavailable","requestId"/);
  });
  await as(keys.favoured, async ({ call }) => {
    expect(await call('get_job', { id: 'job_1' })).toMatchObject({ json: { code: 'not_found' } });
  });
});

test('replays only what a preview has confirmed in the last 10 minutes, once, as the key [MCP-4]', async () => {
  const { as, rpcs, previewed, time } = createFixture();
  const replay = { fromSequence: 7, toSequence: 9 };
  const confirmation = await as(keys.installer, async ({ call }) => {
    const preview = await call('preview_replay', { ...replay, perMinute: 600 });
    expect(preview.json).toMatchObject({
      ...EVENT_REPLAY_PREVIEW_EXAMPLE,
      expiresAt: '2026-09-01T12:10:00.000Z',
    });
    const given = z.object({ confirmation: z.string() }).parse(preview.json).confirmation;
    for (const wrong of [
      { ...replay },
      { ...replay, toSequence: 10, confirmation: given },
      { ...replay, confirmation: given.replace(/^\d+/, String(time.now + 900_000)) },
      { ...replay, confirmation: '' },
    ])
      expect(await call('replay_events', wrong)).toMatchObject({
        isError: true,
        json: { code: 'invalid_argument', error: expect.stringMatching(/^confirmation: /) },
      });
    previewed.result = { ...EVENT_REPLAY_PREVIEW_EXAMPLE, webhooks: [] };
    expect(await call('replay_events', { ...replay, confirmation: given })).toMatchObject({ isError: true });
    previewed.result = EVENT_REPLAY_PREVIEW_EXAMPLE;
    expect(rpcs).toEqual([]);
    time.now += 599_999;
    for (const confirmed of [replay, { toSequence: 9, fromSequence: 7 }])
      expect(await call('replay_events', { ...confirmed, confirmation: given })).toMatchObject({
        json: { replays: [EVENT_REPLAY_EXAMPLE] },
        isError: false,
      });
    return given;
  });
  const started = {
    companyId: 'cmp_1',
    body: { fromSequence: 7, toSequence: 9, perMinute: 600 },
    idempotencyKey: { key: `mcp:${confirmation}`, operation: 'POST /partner/v1/events/replay' },
    caller: { kind: 'key', keyId: keys.installer.keyId },
  };
  expect(rpcs).toMatchObject([started, started]);
  await as(keys.favoured, async ({ call }) => {
    const { text } = await call('replay_events', { ...replay, confirmation });
    expect(text).toContain('confirmation: must be that of a preview');
  });
  time.now += 1;
  await as(keys.installer, async ({ call }) => {
    const { text } = await call('replay_events', { ...replay, confirmation });
    expect(text).toContain('confirmation: has expired');
  });
  expect(rpcs).toHaveLength(2);
});

test('explains from the manifest why an event did not arrive [MCP-5]', async () => {
  const eventId = 'evt_01k3hb0q7d3fzs9x2m5tn8c4vw';
  const entry = { number: 4, eventId, event: 'install.job_assigned', outcome: 'dead_lettered' };
  const { as, rpcs } = createFixture([entry]);
  await as(keys.installer, async ({ call }) => {
    expect((await call('explain_event', { webhookId, eventId })).json).toMatchObject({
      ...entry,
      explanation: expect.stringContaining('then replay the event'),
    });
    expect(rpcs).toMatchObject([{ companyId: 'cmp_1', params: { id: webhookId } }]);
    const other = 'evt_01k3hb0q7d3fzs9x2m5tn8c4vx';
    expect((await call('explain_event', { webhookId, eventId: other })).json).toMatchObject({
      outcome: null,
      explanation: expect.stringContaining('was not queued to this webhook'),
    });
    for (const unknown of ['evt_1', 'evt_7zzzzzzzzz0000000000000000'])
      expect(await call('explain_event', { webhookId, eventId: unknown })).toMatchObject({
        json: { code: 'not_found' },
      });
    expect(rpcs).toHaveLength(2);
  });
  const long = createFixture([entry, entry]);
  await long.as(keys.installer, async ({ call }) => {
    const found = await call('explain_event', { webhookId, eventId: 'evt_01k3hb0q7d3fzs9x2m5tn8c4vx' });
    expect(found.json).toMatchObject({ explanation: expect.stringContaining('first 3 pages') });
  });
  expect(long.rpcs).toHaveLength(3);
});

test('responds with JSON whatever the client accepts [MCP-8]', async () => {
  const { post } = createFixture();
  const accepted = '*/*|application/json|APPLICATION/JSON, TEXT/EVENT-STREAM|application/*;q=0.1|a/b';
  for (const sent of [
    post().unset('accept'),
    ...accepted.split('|').map((type) => post().set({ accept: type })),
  ]) {
    const { status, type } = await sent.send(listing);
    expect([status, type]).toEqual([200, 'application/json']);
  }
});

test.each([
  ['tools/call', undefined, 'params: is required'],
  ['tools/call', null, 'params: must be an object, not null'],
  ['tools/call', [], 'params: must be an object, not an array'],
  ['tools/call', {}, 'params.name: is required'],
  ['tools/call', { name: 7 }, 'params.name: must be a string, not a number'],
  ['tools/call', { name: 'get_job', arguments: 'x' }, 'params.arguments: must be an object, not a string'],
  ['tools/call', { name: 'delete_job' }, 'there is no tool delete_job'],
  ['tools/list', 'x', 'params: must be an object, not a string'],
  ['initialize', undefined, 'params: is required'],
  ['ping', 5, 'params: must be an object, not a number'],
])('%s with the params %j is refused with -32602 and the field [MCP-9]', async (method, params, message) => {
  const { post } = createFixture();
  const response = await post().send({ ...listing, method, params });
  expect([response.status, response.body]).toEqual([
    200,
    { jsonrpc: '2.0', id: 1, error: { code: -32_602, message: expect.stringContaining(message) } },
  ]);
});

test('takes one message of a key in a request, which counts towards its limit, and none of a browser [MCP-1, MCP-6]', async () => {
  const { app, post } = createFixture();
  const accepted = await post().send(listing);
  expect([accepted.status, accepted.headers['ratelimit'], accepted.headers['mcp-session-id']]).toEqual([
    200,
    '"default";r=59;t=60',
    undefined,
  ]);
  expect((await post().send({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
  assertError(await request(app).post(PATH).send(listing), 401, 'unauthenticated');
  assertError(await post(keys.general).send(listing), 401, 'unauthenticated');
  assertError(await post().send([listing, listing]), 400, 'invalid_argument');
  const browser = await post().set('origin', 'https://elsewhere.example').send(listing);
  assertError(browser, 403, 'permission_denied');
  for (const method of ['get', 'delete'] as const)
    assertError(await request(app)[method](PATH), 405, 'method_not_allowed');
});

test.each([
  ['2026-07-28', false],
  ['2025-11-25', true],
])('speaks protocol %s, without streams [MCP-11]', async (version, legacy) => {
  const { app, post } = createFixture();
  const connection = { path: PATH, apiKey: keys.installer.text, legacy };
  await withMcpClient(app, connection, async (client) => {
    expect([client.version, client.capabilities]).toMatchObject([version, { tools: { listChanged: false } }]);
    expect(await client.toolNames()).toContain('get_job');
    expect(await client.call('get_job', { id: 'job_1' })).toMatchObject({ isError: false });
  });
  const stream = await post().send({ ...listing, method: 'subscriptions/listen', params: {} });
  expect([stream.status, stream.body]).toMatchObject([404, { id: 1, error: { code: -32_601 } }]);
});
