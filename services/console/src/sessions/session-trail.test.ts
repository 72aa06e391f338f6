import { create } from '@bufbuild/protobuf';
import { beforeEach, expect, test } from '@jest/globals';
import {
  RecordSessionChangeResponseSchema,
  SessionChange,
} from '@partner/proto-contracts/gen/partner/audit/v1/audit_service_pb';
import { silentLogger } from '@partner/kernel/logger';
import { createSessionTrail } from './session-trail.js';

const recorded: (SessionChange | undefined)[] = [];
const limits: (number | undefined)[] = [];

const trail = createSessionTrail({
  audit: {
    async recordSessionChange({ change }, options) {
      options?.signal?.throwIfAborted();
      recorded.push(change);
      limits.push(options?.timeoutMs);
      return create(RecordSessionChangeResponseSchema);
    },
  },
  logger: silentLogger,
});

const of = {
  owner: { companyId: 'cmp_1', membershipId: 'mem_1', displayName: 'Olive Owner' },
  publicId: 'ses_1',
  origin: { remoteAddress: '192.0.2.1', userAgent: undefined },
} as const;
const callOfOneWhoLeft = { timeoutMs: 1_000, signal: AbortSignal.abort() };

beforeEach(() => {
  recorded.length = 0;
  limits.length = 0;
});

test('the end of a session is recorded even if the client disconnects at once', async () => {
  await trail.note({ change: 'ended', ...of }, callOfOneWhoLeft);
  expect(recorded).toEqual([SessionChange.ENDED]);
  expect(limits).toEqual([1_000]);
});

test('a session does not start for a client that has disconnected', async () => {
  await expect(trail.record({ change: 'started', ...of }, callOfOneWhoLeft)).rejects.toMatchObject({
    reason: 'unavailable',
  });
  expect(recorded).toEqual([]);
});
