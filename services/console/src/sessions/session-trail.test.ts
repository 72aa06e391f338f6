import { beforeEach, expect, test } from '@jest/globals';
import { recordSessionChangeOperation } from '@partner/proto-contracts/internal/audit/record-session-change';
import type { Caller } from '@partner/proto-contracts/call';
import { implementInternal } from '@partner/kernel/amqp/implement';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { origin, owner } from '../testing/test-owner.js';
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

const of = { session: { ...owner, publicId: 'ses_1' }, origin };
const callOfOneWhoLeft = { timeoutMs: 60_000, signal: AbortSignal.abort() };

beforeEach(() => {
  recorded.length = 0;
});

test('the end of a session is recorded even if the client disconnects at once', async () => {
  await trail.note({ change: 'ended', ...of }, callOfOneWhoLeft);
  const { passwordVersion: _version, companyName: _name, ...person } = owner;
  const caller = { kind: 'owner', ...person, ...origin };
  expect(recorded).toEqual([{ change: 'ended', caller, hasDeadline: true }]);
});

test('a session does not start for a client that has disconnected', async () => {
  await expect(trail.record({ change: 'started', ...of }, callOfOneWhoLeft)).rejects.toMatchObject({
    reason: 'unavailable',
  });
  expect(recorded).toEqual([]);
});
