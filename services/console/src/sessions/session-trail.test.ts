import { beforeEach, expect, test } from '@jest/globals';
import { recordSessionChangeOperation } from '@partner/proto-contracts/internal/audit/record-session-change';
import type { Caller } from '@partner/proto-contracts/call';
import { implementInternal } from '@partner/kernel/amqp/implement';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { createSessionTrail } from './session-trail.js';

const recorded: { change: string; caller: Caller; hasDeadline: boolean }[] = [];

const trail = createSessionTrail({
  operations: inProcessOperations({
    implementations: [
      implementInternal(recordSessionChangeOperation, async ({ change }, { caller, timeoutMs }) => {
        recorded.push({ change, caller, hasDeadline: timeoutMs() !== undefined });
        return {};
      }),
    ],
    callers: ['owner'],
  }),
  logger: silentLogger,
});

const owner = {
  companyId: 'cmp_1',
  companyClass: 'INSTALLER',
  membershipId: 'mem_1',
  displayName: 'Olive Owner',
  role: 'owner',
} as const;
const session = { ...owner, publicId: 'ses_1' };
const of = { session, origin: { remoteAddress: '192.0.2.1', userAgent: undefined } };
const callOfOneWhoLeft = { timeoutMs: 60_000, signal: AbortSignal.abort() };

beforeEach(() => {
  recorded.length = 0;
});

test('the end of a session is recorded even if the client disconnects at once', async () => {
  await trail.note({ change: 'ended', ...of }, callOfOneWhoLeft);
  const caller = { kind: 'owner', ...owner, remoteAddress: '192.0.2.1' };
  expect(recorded).toEqual([{ change: 'ended', caller, hasDeadline: true }]);
});

test('a session does not start for a client that has disconnected', async () => {
  await expect(trail.record({ change: 'started', ...of }, callOfOneWhoLeft)).rejects.toMatchObject({
    reason: 'unavailable',
  });
  expect(recorded).toEqual([]);
});
