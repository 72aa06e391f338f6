import type { Implementation } from '@partner/kernel/amqp/implement';
import { ServiceError } from '@partner/kernel/process/service-error';
import { afterMs } from '@partner/kernel/process/timers';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { Registry } from 'prom-client';
import { createApiKeyAuthenticator, type FoundKey } from '../auth/api-key-authentication.js';
import type { ApiKeySurfaceDeps } from '../operations/api-key-surface.js';
import { createCursorSigner } from '../operations/cursor-signer.js';
import { createInMemoryRateLimiter } from './in-memory-rate-limiter.js';

const NOW = new Date('2026-09-01T12:00:00Z');

/**
 * What a surface without a network needs, in front of a job-state with these operations. It knows keys of the sandbox by their ids, and
 * its clock is fixed.
 */
export function surfaceDeps(
  surface: 'inbound' | 'installer',
  known: ReadonlyMap<string, FoundKey>,
  implementations: readonly Implementation[],
): ApiKeySurfaceDeps {
  const metrics = new Registry();
  const authenticator = createApiKeyAuthenticator({
    async findKey({ keyId }) {
      const found = known.get(keyId);
      if (found === undefined) throw new ServiceError('unauthenticated', 'no such key');
      return found;
    },
    ...{
      surface,
      metrics,
      environment: 'sandbox' as const,
      monotonicMs: () => NOW.getTime(),
      after: afterMs,
    },
  });
  return {
    authenticator,
    limiter: createInMemoryRateLimiter(() => NOW),
    operations: inProcessOperations({ implementations, callers: ['key'] }),
    clock: () => NOW,
    cursorSigner: createCursorSigner([Buffer.alloc(32, 1)]),
    logger: silentLogger,
    metrics,
    rpcTimeoutMs: 5_000,
    trustedProxyHops: 0,
  };
}
