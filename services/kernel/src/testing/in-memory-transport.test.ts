import { createClient } from '@connectrpc/connect';
import { describe, expect, test } from '@jest/globals';
import { JobService } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { ServiceError } from '../service-error.js';
import { createInMemoryTransport, partialRpcService } from './in-memory-transport.js';

describe('the in-memory transport', () => {
  test('calls the implementation with the message, headers and deadline', async () => {
    const client = createClient(
      JobService,
      createInMemoryTransport([
        partialRpcService(JobService, {
          getJob: ({ jobId }, { requestHeader, timeoutMs }) => ({
            resourceJson: `${jobId ?? ''} ${requestHeader.get('x-request-id') ?? ''} ${String((timeoutMs() ?? 0) > 0)}`,
          }),
        }),
      ]),
    );
    const response = await client.getJob(
      { jobId: 'job_1' },
      { timeoutMs: 5_000, headers: { 'x-request-id': 'req-1' } },
    );
    expect(response.resourceJson).toBe('job_1 req-1 true');
  });

  test('carries errors as the broker does: reason and attributes, without the cause', async () => {
    const client = createClient(
      JobService,
      createInMemoryTransport([
        partialRpcService(JobService, {
          getJob: () => {
            throw new ServiceError('stale_version', 'moved on', {
              currentVersion: 2,
              cause: new Error('SQL'),
            });
          },
          listJobFeed: () => {
            throw new Error('SQL');
          },
        }),
      ]),
    );
    const error: unknown = await client.getJob({}).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({
      reason: 'stale_version',
      message: 'moved on',
      attributes: { currentVersion: 2 },
    });
    expect(error instanceof Error && error.cause).toBeUndefined();
    await expect(client.listJobFeed({})).rejects.toMatchObject({ reason: 'internal' });
  });

  test('is unavailable for a service without a server', async () => {
    const client = createClient(JobService, createInMemoryTransport([]));
    await expect(client.getJob({})).rejects.toMatchObject({ reason: 'unavailable' });
  });

  test('ends a call at its deadline or when its caller cancels', async () => {
    const client = createClient(
      JobService,
      createInMemoryTransport([
        partialRpcService(JobService, { getJob: () => new Promise(() => undefined) }),
      ]),
    );
    await expect(client.getJob({}, { timeoutMs: 5 })).rejects.toMatchObject({ reason: 'unavailable' });
    const giveUp = new AbortController();
    const call = client.getJob({}, { signal: giveUp.signal });
    giveUp.abort();
    await expect(call).rejects.toMatchObject({ reason: 'unavailable' });
    await expect(client.getJob({}, { signal: giveUp.signal })).rejects.toMatchObject({
      reason: 'unavailable',
    });
  });
});
