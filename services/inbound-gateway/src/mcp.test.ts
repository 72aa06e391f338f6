import { expect, test } from '@jest/globals';
import { withMcpClient } from '@partner/gateway-kit/testing/mcp-client';
import { partialRpcService } from '@partner/kernel/testing/in-memory-transport';
import {
  ContractorJobService,
  type ListContractorJobsRequest,
} from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import { createInboundSurface, KEYS } from './testing/inbound-surface.js';

test('shows each kind of key its own tools, and no other one works [MCP-2]', async () => {
  const requests: ListContractorJobsRequest[] = [];
  const { app } = createInboundSurface([
    partialRpcService(ContractorJobService, {
      listContractorJobs(received) {
        requests.push(received);
        return { resourceJson: '{"jobs":[],"hasMore":false}' };
      },
    }),
  ]);
  const path = '/inbound/mcp';
  await withMcpClient(app, { path, apiKey: KEYS.contractor.text }, async ({ toolNames, call }) => {
    expect(await toolNames()).toEqual(['list_jobs']);
    expect(await call('list_jobs', { take: 3 })).toMatchObject({ json: { jobs: [], hasMore: false } });
    expect(requests).toMatchObject([{ sellingCompanyId: 'cmp_1', installerCompanyId: 'cmp_2', limit: 3 }]);
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
