import { expect, test } from '@jest/globals';
import { withMcpClient } from '@partner/gateway-kit/testing/mcp-client';
import { listInboundEventsOperation } from '@partner/proto-contracts/resources/event-feed/operations';
import { listContractorJobsOperation } from '@partner/proto-contracts/resources/contractor-job/operations';
import { createSurfaceOf, KEYS } from './testing/inbound-surface.js';

test('shows each kind of key its own tools, and no other one works [MCP-2]', async () => {
  const reply = { json: '{"jobs":[],"hasMore":false}' };
  const { app, requests } = createSurfaceOf(listContractorJobsOperation, reply);
  const path = '/inbound/mcp';
  await withMcpClient(app, { path, apiKey: KEYS.contractor.text }, async ({ toolNames, call }) => {
    expect(await toolNames()).toEqual(['list_jobs']);
    expect(await call('list_jobs', { take: 3 })).toMatchObject({ json: { jobs: [], hasMore: false } });
    expect(requests).toMatchObject([
      { caller: { companyId: 'cmp_1', boundCompanyId: 'cmp_2' }, query: { take: 3 } },
    ]);
    for (const [name, scope] of [
      ['list_events', 'events:read'],
      ['replay_events', 'events:replay'],
    ] as const)
      expect(await call(name)).toMatchObject({
        isError: true,
        json: { code: 'permission_denied', error: expect.stringContaining(scope) },
      });
  });
  await withMcpClient(app, { path, apiKey: KEYS.general.text }, async ({ toolNames, call }) => {
    expect(await toolNames()).toEqual([
      'list_events',
      'read_manifest',
      'explain_event',
      'preview_replay',
      'replay_events',
      'get_replay',
    ]);
    expect(await call('list_jobs')).toMatchObject({ json: { code: 'permission_denied' } });
  });
  expect(requests).toHaveLength(1);
});

test('offers the events of sellers to keys with events:read alone [MCP-12]', async () => {
  const { app } = createSurfaceOf(listInboundEventsOperation, {
    json: '{"events":[]}',
    ...{ next: '0:2026-09-01', hasMore: false },
  });
  const path = '/inbound/mcp';
  await withMcpClient(app, { path, apiKey: KEYS.general.text }, async ({ request }) => {
    const { events } = await request('events/list');
    expect(events).toContainEqual(expect.objectContaining({ name: 'quote.sent', delivery: ['poll'] }));
    expect(events).not.toContainEqual(expect.objectContaining({ name: 'install.job_assigned' }));
    expect(await request('events/poll', { name: 'quote.sent' })).toMatchObject({
      events: [],
      hasMore: false,
    });
  });
  await withMcpClient(app, { path, apiKey: KEYS.contractor.text }, async ({ capabilities, request }) => {
    expect(capabilities).toEqual({ tools: { listChanged: false } });
    for (const method of ['events/list', 'events/poll'])
      await expect(request(method, { name: 'quote.sent' })).rejects.toThrow('Method not found');
  });
});
