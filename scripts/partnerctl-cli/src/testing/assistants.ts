import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { expect } from '@jest/globals';
import { eventually } from '@partner/test-kit/eventually';
import { z } from 'zod';
import { parseJson } from '../output.js';
import { field, MAIN, stack, textAt } from './partnerctl-on-stack.js';

const textResult = z.object({ content: z.tuple([z.object({ text: z.string() })]) });

async function withClient<T>(transport: Transport, work: Work<T>): Promise<T> {
  const client = new Client({ name: 'assistant', version: '1' });
  await client.connect(transport);
  try {
    return await work(toolsOf(client));
  } finally {
    await client.close();
  }
}

function toolsOf(client: Client) {
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    /** Calls a tool and returns its text. */
    async call(name: string, given: Readonly<Record<string, unknown>> = {}): Promise<string> {
      return textResult.parse(await client.callTool({ name, arguments: given })).content[0].text;
    },
  };
}

type Work<T> = (client: ReturnType<typeof toolsOf>) => Promise<T>;

/** Runs work with the client of `partnerctl mcp --allow-writes`. */
const withAssistant = <T>(work: Work<T>): Promise<T> =>
  withClient(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, '--directory', stack.directory, '--operator', 'olga', 'mcp', '--allow-writes'],
    }),
    work,
  );

/** Runs work with the client of an installer company's assistant. */
const withPartnerAssistant = <T>(apiKey: string, work: Work<T>): Promise<T> =>
  withClient(
    new StreamableHTTPClientTransport(new URL('/partner/v1/mcp', stack.description.baseUrl), {
      requestInit: { headers: { 'x-api-key': apiKey } },
    }),
    work,
  );

/** Reads and replays an event with an operator's assistant, and reads it with one of the company. */
export async function useAssistants(hook: string, event: string, jobId: string, installer: string) {
  await withAssistant(async ({ call }) => {
    expect(await call('explain_event', { id: event })).toContain('"verdict": "queued"');
    expect(await call('list_events', { company: installer, resource: jobId })).toContain(event);
    expect(await call('show_job', { id: jobId })).toContain(`"id": "${jobId}"`);
    for (const name of ['get_status', 'get_health', 'list_dead_letters'])
      expect(await call(name)).toMatch(/^\{/);
    // The replay before it may still run.
    await eventually('a replay', async () => {
      const preview = parseJson(await call('preview_replay', { id: hook, eventIds: [event] }));
      expect(preview).toMatchObject({ preview: { webhooks: [{ subscriptionId: hook, events: 1 }] } });
      const confirmation = textAt(preview, 'confirmation');
      return (await call('replay_events', { confirmation })).includes('"kind": "events"');
    });
  });
  const apiKey = await field('apiKey', 'keys', 'create', installer, '--kind', 'installer-company');
  await withPartnerAssistant(apiKey, async ({ call }) => {
    expect(await call('get_job', { id: jobId })).toContain(`"id":"${jobId}"`);
    expect(await call('explain_event', { webhookId: hook, eventId: event })).toContain('"outcome":"');
  });
}
