import { expect, test } from '@jest/globals';
import { findPersonOperation } from '@partner/proto-contracts/internal/access/sign-in';
import { implementInternal } from '@partner/kernel/amqp/implement';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { owner } from '../testing/test-owner.js';
import { isStillOwner } from './session-access.js';
import { OWNER_CHECKED_EVERY_MS } from './session-times.js';

const NOW = new Date('2026-08-26T14:00:00Z');

const session = {
  id: 'id',
  publicId: 'ses_1',
  ...owner,
  startedAt: NOW,
  lastSeenAt: NOW,
  expiresAt: NOW,
  confirmedUntil: NOW,
  ownerCheckedAt: NOW,
  remoteAddress: '192.0.2.1',
  userAgent: null,
} as const;

test.each([
  ['a minute old', -OWNER_CHECKED_EVERY_MS],
  ['in the future', 1],
])('a former owner’s session ends if the last check is %s and the client disconnects', async (_what, ms) => {
  const done: string[] = [];
  const isOwner = await isStillOwner(
    {
      operations: inProcessOperations({
        implementations: [implementInternal(findPersonOperation, async () => ({}))],
        callers: ['service'],
      }),
      sessions: {
        claimOwnerCheck: async () => true,
        returnOwnerCheck: async () => void done.push('returned'),
        end: async () => done.push('ended') > 0,
      },
      logger: silentLogger,
      clock: () => NOW,
    },
    { ...session, ownerCheckedAt: new Date(NOW.getTime() + ms) },
    { timeoutMs: 1_000, signal: AbortSignal.abort() },
  );
  expect(isOwner).toBe(false);
  expect(done).toEqual(['ended']);
});
