import { Registry } from 'prom-client';
import { createApiKey, type Environment } from '@partner/kernel/security/api-key';
import { invariant } from '@partner/kernel/process/invariant';
import { ServiceError } from '@partner/kernel/process/service-error';
import { createManualTimers } from '@partner/kernel/testing/manual-timers';
import { createRecorder } from '@partner/test-kit/recorder';
import type { After } from '@partner/kernel/process/timers';
import { createApiKeyAuthenticator, type FoundKey } from '../auth/api-key-authentication.js';

/** What job-state returns for a general key. */
export const general: FoundKey = {
  companyId: 'cmp_1',
  companyClass: 'SALES',
  kind: 'general',
};

const restsNever: After = (_milliseconds, then) => {
  then();
  return () => undefined;
};

/** A job-state whose responses a test sends one by one, or all alike. */
export function createFixture(
  respond?: () => FoundKey,
  {
    environment = 'sandbox',
    surface = 'inbound',
    restsInTheQueue = false,
  }: {
    readonly environment?: Environment;
    readonly surface?: 'inbound' | 'installer';
    readonly restsInTheQueue?: boolean;
  } = {},
) {
  let now = 1_800_000_000_000;
  const lookUps = createRecorder<{
    resolve: (found: FoundKey) => void;
    reject: (error: ServiceError) => void;
  }>();
  const timers = createManualTimers();
  const calls: { keyId: string; timeoutMs: number | undefined; hasSignal: boolean }[] = [];
  const metrics = new Registry();
  const authenticator = createApiKeyAuthenticator({
    async findKey({ keyId }, { timeoutMs, signal }) {
      calls.push({ keyId, timeoutMs, hasSignal: signal !== undefined });
      if (respond !== undefined) return respond();
      return new Promise((resolve, reject) => lookUps.record({ resolve, reject }));
    },
    surface,
    environment,
    monotonicMs: () => now,
    metrics,
    after: restsInTheQueue ? timers.after : restsNever,
  });
  return {
    authenticator,
    metrics,
    /** Ends the rest of the lookup slots. */
    rest: () => timers.pass(40),
    calls,
    lookUps,
    /** Resolves to the lookup with that number, from 1, once it is made. */
    lookUp: async (number: number) => {
      const found = (await lookUps.atLeast(number))[number - 1];
      invariant(found, 'the lookup was made');
      return found;
    },
    advance: (ms: number) => (now += ms),
    authenticate: (text: string | undefined, remoteAddress = '203.0.113.1', isOverFailureLimit = false) =>
      authenticator.authenticate({
        header: (name) => (name === 'x-api-key' ? text : undefined),
        call: { timeoutMs: 600_000, signal: new AbortController().signal },
        remoteAddress,
        isOverFailureLimit,
      }),
  };
}

export function refuseKey(): never {
  throw new ServiceError('unauthenticated', 'no such key');
}

export const key = createApiKey('sandbox');
