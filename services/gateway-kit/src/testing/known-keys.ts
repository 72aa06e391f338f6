import { afterMs } from '@partner/kernel/process/timers';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { Registry } from 'prom-client';
import {
  type ApiKeyAuthenticator,
  createApiKeyAuthenticator,
  type FoundKey,
} from '../auth/api-key-authentication.js';

/** Authenticates the keys of the sandbox that a test knows, by their ids. */
export function authenticatorOf(
  surface: 'inbound' | 'installer',
  known: ReadonlyMap<string, FoundKey>,
  { now, metrics }: { readonly now: Date; readonly metrics: Registry },
): ApiKeyAuthenticator {
  return createApiKeyAuthenticator({
    async findKey({ keyId }) {
      const found = known.get(keyId);
      if (found === undefined) throw new ServiceError('unauthenticated', 'no such key');
      return found;
    },
    surface,
    environment: 'sandbox',
    monotonicMs: () => now.getTime(),
    metrics,
    after: afterMs,
  });
}
