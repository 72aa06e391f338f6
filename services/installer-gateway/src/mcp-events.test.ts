import { expect, test } from '@jest/globals';
import { withMcpClient } from '@partner/gateway-kit/testing/mcp-client';
import { implement } from '@partner/kernel/amqp/implement';
import { ServiceError } from '@partner/kernel/process/service-error';
import { allowedPatterns } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import { EVENT_EXAMPLE } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { listInstallerEventsOperation } from '@partner/proto-contracts/resources/event-feed/operations';
import request from 'supertest';
import { z } from 'zod';
import { createTestApp, keys } from './testing/create-test-app.js';

const PATH = '/partner/v1/mcp';
const EXTENSION = 'io.modelcontextprotocol/events';
/** It occurred a minute before the time of the surface. */
const EVENT = { ...EVENT_EXAMPLE, occurredAt: '2026-09-01T11:59:00.000Z' };
const { event: name } = EVENT;
const occurrence = { eventId: EVENT.id, name, timestamp: EVENT.occurredAt, data: EVENT };
const polled = z.object({ cursor: z.string() });

type Position = string | undefined;

/** A job-state whose events continue at `7:…`; `refuses` says which positions it refuses, and why. */
function createFixture(refuses: (after: Position) => ServiceError | undefined = () => undefined) {
  const calls: { after: Position; query: object }[] = [];
  const app = createTestApp([
    implement(listInstallerEventsOperation, async ({ after, query, companyId }) => {
      calls.push({ after, query });
      const refusal = refuses(after);
      if (refusal !== undefined) throw refusal;
      const event = { sequence: '7', eventId: EVENT.id, event: name, body: JSON.stringify(EVENT) };
      const isAtEnd = query.from === 'end' || companyId !== 'cmp_1';
      return {
        json: JSON.stringify({ events: isAtEnd ? [] : [event] }),
        next: '7:2026-09-01',
        hasMore: !isAtEnd,
      };
    }),
  ]);
  const as = <T>(work: Parameters<typeof withMcpClient<T>>[2], key = keys.installer, legacy = false) =>
    withMcpClient(app, { path: PATH, apiKey: key.text, legacy }, work);
  return { app, as, calls };
}

test('lists the events of the company, with what they take and hold [MCP-12]', async () => {
  const { as } = createFixture();
  await as(async (client) => {
    expect(client.version).toBe('2026-07-28');
    expect(client.capabilities).toEqual({ tools: { listChanged: false }, extensions: { [EXTENSION]: {} } });
    const listed = z.array(z.object({ name: z.string(), payloadSchema: z.record(z.string(), z.unknown()) }));
    const { events, nextCursor } = await client.request('events/list');
    const names = allowedPatterns('INSTALLER').filter((pattern) => !/\*|install\.test/.test(pattern));
    const shown = listed.parse(events);
    expect([shown.map((event) => event.name), nextCursor]).toEqual([names, undefined]);
    expect(events).toContainEqual({
      name,
      description: 'Job status moved.',
      delivery: ['poll'],
      inputSchema: {
        type: 'object',
        properties: {
          resourceId: expect.objectContaining({ type: 'string' }),
          fields: expect.objectContaining({
            type: 'array',
            items: { type: 'string', enum: expect.arrayContaining(['schedule.startsAt']) },
          }),
        },
        required: [],
        additionalProperties: false,
      },
      payloadSchema: expect.any(Object),
    });
    expect(events).toContainEqual(
      expect.objectContaining({
        name: 'webhook.endpoint_failing',
        inputSchema: expect.objectContaining({ properties: { resourceId: expect.anything() } }),
      }),
    );
    const schema = z.fromJSONSchema(shown.find((event) => event.name === name)?.payloadSchema ?? false);
    expect(schema.safeParse(EVENT).error).toBeUndefined();
    await expect(client.request('events/list', { cursor: 'x' })).rejects.toMatchObject({ code: -32_602 });
  });
});

test('has no events for clients of earlier protocols [MCP-12]', async () => {
  await createFixture().as(
    async ({ version, capabilities, call, request: send }) => {
      expect([version, capabilities]).toEqual(['2025-11-25', { tools: { listChanged: false } }]);
      expect(await call('list_events')).toMatchObject({ json: { events: [{ sequence: 7 }] } });
      await expect(send('events/list')).rejects.toMatchObject({ code: -32_601 });
    },
    keys.installer,
    true,
  );
});

test('polls from now on, then after the cursor, with the filters of the events [MCP-13]', async () => {
  const { as, calls } = createFixture();
  await as(async ({ request: send }) => {
    const first = await send('events/poll', { name });
    expect(first).toMatchObject({ events: [], truncated: false, hasMore: false, nextPollMs: 60_000 });
    const { cursor } = polled.parse(first);
    const arguments_ = { resourceId: 'job_1', fields: ['status', 'schedule.endsAt'] };
    expect(await send('events/poll', { name, cursor, arguments: arguments_, maxEvents: 500 })).toEqual({
      ...first,
      ...{ events: [occurrence], hasMore: true },
    });
    await send('events/poll', { name, cursor, maxEvents: 3 });
    await send('events/poll', { name, cursor: null, maxAgeMs: 1 });
  });
  expect(calls).toMatchObject([
    { after: undefined, query: { event: name, from: 'end', limit: 50 } },
    {
      after: '7:2026-09-01',
      query: { event: name, resourceId: 'job_1', fields: 'status,schedule.endsAt', limit: 100 },
    },
    { after: '7:2026-09-01', query: { event: name, limit: 3 } },
    { after: undefined, query: { event: name, from: 'end', limit: 50 } },
  ]);
});

test('goes on with what is left after a cursor whose events are gone, and says so [MCP-14]', async () => {
  const gone = new ServiceError('cursor_invalid', 'cursor: is too old');
  const { as, calls } = createFixture((after) => (after === undefined ? undefined : gone));
  await as(async ({ request: send }) => {
    const { cursor } = polled.parse(await send('events/poll', { name }));
    expect(await send('events/poll', { name, cursor, maxEvents: 9 })).toMatchObject({
      events: [occurrence],
      cursor,
      truncated: true,
      hasMore: true,
    });
  });
  expect(calls[1]).toMatchObject({ after: '7:2026-09-01', query: { event: name, limit: 9 } });
  expect(calls[2]).toEqual({ after: undefined, query: { event: name, limit: 9 } });
});

test('leaves out events that are older than maxAgeMs, and says so [MCP-14]', async () => {
  await createFixture().as(async ({ request: send }) => {
    const { cursor } = polled.parse(await send('events/poll', { name }));
    const poll = (maxAgeMs: number) => send('events/poll', { name, cursor, maxAgeMs });
    expect(await poll(60_000)).toMatchObject({ events: [occurrence], truncated: false });
    expect(await poll(59_999)).toMatchObject({ events: [], cursor, truncated: true, hasMore: true });
  });
});

test('refuses what it cannot poll, with the code and the field [MCP-13]', async () => {
  const down = new ServiceError('unavailable', 'job-state is down');
  const { as } = createFixture((after) => (after === undefined ? undefined : down));
  const cursor = await as(async ({ request: send }) => {
    const own = polled.parse(await send('events/poll', { name })).cursor;
    for (const [params, code, message] of [
      [{}, -32_602, 'params.name: is required'],
      [{ name: 'install.test' }, -32_023, 'params.name: must be an event of events/list, not "install.test"'],
      [{ name: 'quote.sent' }, -32_023, 'params.name: must be an event of events/list'],
      [{ name, arguments: { resourceid: 'x' } }, -32_602, 'params.arguments: must not contain resourceid'],
      [{ name, arguments: { fields: ['x'] } }, -32_602, 'params.arguments.fields.0: must be one of '],
      [
        { name: 'webhook.endpoint_failing', arguments: { fields: ['status'] } },
        -32_602,
        'must not contain fields',
      ],
      [{ name, maxEvents: 0 }, -32_602, 'params.maxEvents: must be at least 1'],
      [{ name, cursor: 'x' }, -32_602, 'cursor: must be a nextCursor that was issued to this company'],
    ] as const)
      await expect(send('events/poll', params)).rejects.toMatchObject({
        ...{ code, message: expect.stringContaining(message) },
        ...(code === -32_023 && { data: { kind: 'event' } }),
      });
    await expect(send('events/poll', { name, cursor: own })).rejects.toThrow(
      /"code":"unavailable","requestId"/,
    );
    for (const method of ['events/stream', 'events/subscribe', 'events/unsubscribe'])
      await expect(send(method, { name })).rejects.toThrow('Method not found');
    return own;
  });
  await as(async ({ request: send }) => {
    await expect(send('events/poll', { name, cursor })).rejects.toMatchObject({ code: -32_602 });
  }, keys.favoured);
});

/** A recorded request of a client of 2026-07-28. */
const exchange = (method: string, params: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { extensions: { [EXTENSION]: {} } },
    },
  },
});

test('responds as the extension describes it, and never with a stream [MCP-12, MCP-13]', async () => {
  const { app } = createFixture();
  const post = (method: string, params: object, headers: Readonly<Record<string, string>> = {}) =>
    request(app)
      .post(PATH)
      .set({ 'x-api-key': keys.installer.text, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method })
      .set(headers)
      .send(exchange(method, params));
  const poll = { name, arguments: {}, cursor: null, maxAgeMs: 300_000, maxEvents: 50 };
  const polledNow = await post('events/poll', poll, { 'mcp-name': name });
  expect([polledNow.status, polledNow.headers['content-type'], polledNow.body]).toEqual([
    200,
    expect.stringMatching(/^application\/json/),
    {
      jsonrpc: '2.0',
      id: 1,
      result: {
        ...{ resultType: 'complete', events: [], cursor: expect.any(String) },
        ...{ truncated: false, hasMore: false, nextPollMs: 60_000, _meta: expect.any(Object) },
      },
    },
  ]);
  for (const [method, headers, status, code] of [
    ['events/stream', {}, 404, -32_601],
    ['events/poll', { 'mcp-method': 'tools/list' }, 400, -32_020],
    ['events/poll', { 'mcp-protocol-version': '2025-11-25' }, 400, -32_020],
  ] as const) {
    const refused = await post(method, poll, headers);
    expect([refused.status, refused.body]).toEqual([
      status,
      expect.objectContaining({ id: 1, error: expect.objectContaining({ code }) }),
    ]);
  }
});
