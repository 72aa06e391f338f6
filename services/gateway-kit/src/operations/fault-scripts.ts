import { setTimeout as pause } from 'node:timers/promises';
import {
  faultOfRequest,
  type RequestFault,
} from '@partner/proto-contracts/resources/fault-script/fault-script';
import { assertNever } from '@partner/kernel/process/invariant';
import { z } from 'zod';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { NOT_DONE_ADVICE, OUTCOME_UNKNOWN_ADVICE, ServiceError } from '@partner/kernel/process/service-error';
import type { ApiKeyPrincipal } from '../auth/api-key-authentication.js';
import type { EndpointResponse } from '../http/endpoint.js';
import type { AdmittedRequest } from '../http/http-app.js';
import type { RedisClient } from '../limits/redis.js';

/** How long a counter lives after the last request. An unchanged script then starts from its first step. */
const COUNT_KEPT_MS = 24 * 3_600_000;

/** Reply to `INCR` in a transaction: its error and its result. */
const counted = z.tuple([z.tuple([z.null(), z.int()])]).rest(z.unknown());

/**
 * Creates the fault injection of API keys. A key's script runs step by step in the order of its requests, counted in
 * Redis over all replicas. If Redis cannot count a request, no fault is injected. Must not be wired in production.
 */
export function createFaultScripts(deps: {
  readonly redis: Pick<RedisClient, 'multi'>;
  readonly keyPrefix: string;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}) {
  const { redis, logger } = deps;
  const stopping = new AbortController();

  async function numberOf(scriptId: string): Promise<number | undefined> {
    const key = `${deps.keyPrefix}faults:{${scriptId}}`;
    try {
      const [[, number]] = counted.parse(await redis.multi().incr(key).pexpire(key, COUNT_KEPT_MS).exec());
      return number;
    } catch (error) {
      logger.warn({ err: error }, 'fault_script.not_counted');
      return undefined;
    }
  }

  async function faultFor({ faults, keyId }: ApiKeyPrincipal): Promise<RequestFault | undefined> {
    if (faults === undefined || faults.requests.length === 0) return undefined;
    const number = await numberOf(faults.id);
    const fault = number === undefined ? undefined : faultOfRequest(faults.requests, number);
    if (fault !== undefined) logger.info({ keyId, number, fault: fault.fault }, 'fault_script.played');
    return fault;
  }

  return {
    async inject(
      principal: ApiKeyPrincipal,
      { respond, signal, showExhausted }: AdmittedRequest,
    ): Promise<EndpointResponse> {
      const fault = await faultFor(principal);
      switch (fault?.fault) {
        case undefined:
          return respond();
        case 'rate_limited': {
          const { retryAfterSeconds } = fault;
          showExhausted(retryAfterSeconds);
          throw new ServiceError(
            'rate_limited',
            `this rate limit was injected by the key's fault script; retry after ${retryAfterSeconds} ${retryAfterSeconds === 1 ? 'second' : 'seconds'}`,
            { retryAfterSeconds },
          );
        }
        case 'server_error': {
          // The outcome is ignored: the caller never receives it.
          if (fault.when === 'after') await Promise.allSettled([respond()]);
          const advice = fault.when === 'after' ? OUTCOME_UNKNOWN_ADVICE : NOT_DONE_ADVICE;
          throw new ServiceError(
            fault.status === 500 ? 'internal' : 'unavailable',
            `this failure was injected by the key's fault script; ${advice}`,
            { retryAfterSeconds: 1 },
          );
        }
        case 'delay':
          await pause(fault.delayMs, undefined, {
            signal: AbortSignal.any([signal, stopping.signal]),
          }).catch(() => undefined);
          return respond();
        default:
          return assertNever(fault);
      }
    },
    /** Ends all current and future delays at once, so that they do not delay a shutdown. */
    stop: () => stopping.abort(),
  };
}
