import { create } from '@bufbuild/protobuf';
import { expect, test } from '@jest/globals';
import { GetOwnerResponseSchema } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { silentLogger } from '@partner/kernel/logger';
import { owner } from '../testing/test-owner.js';
import { isStillOwner } from './is-still-owner.js';
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
      access: {
        async getOwner(_request, options) {
          options?.signal?.throwIfAborted();
          return create(GetOwnerResponseSchema, { isOwner: false });
        },
      },
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
