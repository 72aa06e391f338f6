import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { serveAssistant } from './assistant-server.js';
import type { RunResult } from './command-context.js';

const textResult = z.object({
  content: z.tuple([z.object({ text: z.string() })]),
  isError: z.boolean().default(false),
});

/** An assistant whose commands end with this result and are recorded. */
async function createFixture({
  allowWrites = true,
  result = {},
}: { readonly allowWrites?: boolean; readonly result?: Partial<RunResult> } = {}) {
  const commands: string[] = [];
  let now = new Date('2026-09-01T12:00:00Z');
  const [here, there] = InMemoryTransport.createLinkedPair();
  await serveAssistant(there, {
    run: async (args) => {
      commands.push(args.join(' '));
      return { exitCode: 0, out: '{"preview":{}}', err: '', ...result };
    },
    allowWrites,
    clock: () => now,
  });
  const client = new Client({ name: 'assistant', version: '1' });
  await client.connect(here);
  return {
    request: (method: string, params?: Record<string, unknown>) =>
      client.request({ method, ...(params && { params }) }, z.unknown()),
    commands,
    later: (ms: number) => {
      now = new Date(now.getTime() + ms);
    },
    tools: async () => (await client.listTools()).tools,
    async call(name: string, given: Readonly<Record<string, unknown>> = {}) {
      const { content, isError } = textResult.parse(await client.callTool({ name, arguments: given }));
      return { text: content[0].text, isError };
    },
  };
}

const confirmationIn = (text: string) => z.object({ confirmation: z.string() }).parse(JSON.parse(text));

test('an assistant of an operator only reads, unless it may write [MCP-7]', async () => {
  const reader = await createFixture({ allowWrites: false });
  const tools = await reader.tools();
  expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
  expect(tools.filter(({ name }) => !/^(explain|get|list|preview|show)_/.test(name))).toEqual([]);
  const preview = await reader.call('preview_replay', { id: 'whk_1', since: '2026-08-01T00:00:00Z' });
  expect(preview).toEqual({ text: '{"preview":{}}', isError: false });
  expect(await reader.call('replay_events', { confirmation: 'x' })).toMatchObject({ isError: true });
  expect(reader.commands).toEqual([
    'events replay --since=2026-08-01T00:00:00.000Z --until=2026-09-01T12:00:00.000Z --rate=600 -- whk_1',
  ]);
  const writer = await createFixture();
  expect((await writer.tools()).map(({ name }) => name)).toEqual([
    ...tools.map(({ name }) => name),
    'replay_events',
  ]);
});

test('a tool runs its command, and no argument becomes an option [MCP-7]', async () => {
  const { call, commands } = await createFixture();
  await call('list_deliveries', { id: 'cmp_1', state: 'held', search: '--body', limit: 7 });
  await call('list_dead_letters', { queue: '--all' });
  expect(commands).toEqual([
    'deliveries list --state=held --search=--body --limit=7 -- cmp_1',
    'dead-letters list --limit=20 -- --all',
  ]);
  for (const id of ['--body', 'evt_1 --body', ''])
    expect(await call('explain_event', { id })).toMatchObject({ isError: true });
  expect(commands).toHaveLength(2);
});

test.each([
  ['tools/call', undefined, 'params: is required'],
  ['tools/call', {}, 'params.name: is required'],
  ['tools/call', { name: 'get_status', arguments: [] }, 'params.arguments: must be an object, not an array'],
  ['tools/list', { cursor: 7 }, 'params.cursor: must be a string, not a number'],
  ['initialize', {}, 'params.protocolVersion: is required; params.capabilities: is required'],
])('%s with the params %j is refused with -32602 and the field [MCP-9]', async (method, params, message) => {
  const { request, commands } = await createFixture();
  await expect(request(method, params)).rejects.toMatchObject({
    code: -32_602,
    message: expect.stringContaining(message),
  });
  expect(commands).toEqual([]);
});

test('a failed command is an error, and one that found something wrong is a result', async () => {
  const failed = await createFixture({ result: { exitCode: 3, out: '', err: 'not found' } });
  expect(await failed.call('explain_event', { id: 'evt_1' })).toEqual({ text: 'not found', isError: true });
  expect(await failed.call('preview_replay', { id: 'whk_1', eventIds: ['evt_1'] })).toMatchObject({
    isError: true,
  });
  const unhealthy = await createFixture({ result: { exitCode: 1, out: '{"healthy":false}' } });
  expect(await unhealthy.call('get_health')).toEqual({ text: '{"healthy":false}', isError: false });
});

test('a replay is that of its preview, once and within 10 minutes [MCP-7]', async () => {
  const { call, commands, later } = await createFixture();
  const preview = async () =>
    confirmationIn((await call('preview_replay', { id: 'whk_1', eventIds: ['evt_1', 'evt_2'] })).text);
  const first = await preview();
  later(599_999);
  expect(await call('replay_events', first)).toMatchObject({ isError: false });
  expect(commands.slice(1)).toEqual(['events replay --ids=evt_1,evt_2 --rate=600 --yes -- whk_1']);
  const second = await preview();
  later(600_000);
  for (const refused of [first, second, { confirmation: 'unknown' }])
    expect(await call('replay_events', refused)).toMatchObject({
      isError: true,
      text: expect.stringContaining('unknown, used or expired'),
    });
  expect(commands).toHaveLength(3);
});
