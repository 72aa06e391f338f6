import {
  checkEndpointOperation,
  type EndpointVerdict,
} from '@partner/proto-contracts/internal/webhooks/check-endpoint';
import { subscriptionIn } from '@partner/proto-contracts/resources/subscription/subscription';
import { invalidArgument, validate } from '@partner/kernel/process/validation';
import { ServiceError } from '@partner/kernel/process/service-error';
import { createShareGate } from '@partner/kernel/process/share-gate';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import type { Caller } from './get-subscription.js';

/** Part of the caller's deadline that is reserved for the database after the URL check. */
const DATABASE_RESERVE_MS = 500;

/** URL checks in flight; each is a DNS lookup of up to some seconds. */
const CHECKS = 40;
const QUEUED_CHECKS = 80;

export interface Endpoints {
  check(url: string, limits: { readonly timeoutMs?: number }): Promise<EndpointVerdict>;
}

export function endpointsOver({ callInternal }: Pick<OperationClient, 'callInternal'>): Endpoints {
  return { check: (url, limits) => callInternal(checkEndpointOperation, { url }, limits) };
}

/** Returns the dispatcher as one company may use it: with its share of the URL checks of this process. */
export function shareEndpoints(endpoints: Endpoints): (companyId: string) => Endpoints {
  const gate = createShareGate({ slots: CHECKS, queue: QUEUED_CHECKS, work: 'URL checks' });
  return (companyId) => ({
    check(url, { timeoutMs = Number.POSITIVE_INFINITY }) {
      const end = performance.now() + timeoutMs;
      return gate.run(companyId, { timeoutMs }, () => {
        const leftMs = end - performance.now();
        return endpoints.check(url, leftMs < Number.POSITIVE_INFINITY ? { timeoutMs: leftMs } : {});
      });
    },
  });
}

type Deadline = Pick<Caller, 'timeoutMs'>;

/**
 * Checks with the dispatcher that deliveries may go to a URL, and returns its normalised form (spec: Subscription URL rules).
 *
 * Fails with `invalid_argument` (`url`) and the dispatcher's message if they may not. Fails with `unavailable` if the
 * dispatcher does not respond before the caller's deadline, or the deadline has passed.
 */
export async function checkEndpoint(
  endpoints: Endpoints,
  url: string,
  { timeoutMs }: Deadline,
): Promise<string> {
  const verdict = await judgeEndpoint(endpoints, url, { timeoutMs });
  if ('refusal' in verdict) throw invalidArgument([{ path: 'url', message: verdict.refusal }]);
  refuseWhenOverdue({ timeoutMs });
  return verdict.normalizedUrl;
}

const urlOnly = subscriptionIn.pick({ url: true });

/**
 * Returns why no subscription can be created with a URL; undefined if one can (spec: Subscription URL rules).
 *
 * The message is that of the creation for `url`. The dispatcher is only called for a URL with valid text. Fails with
 * `unavailable` as the creation does.
 */
export async function refusalOfUrl(
  endpoints: Endpoints,
  url: string,
  { timeoutMs }: Deadline,
): Promise<string | undefined> {
  const checked = validate(urlOnly, { url }, 'url');
  if (!checked.valid) return checked.violations[0]?.message ?? 'is not valid';
  const verdict = await judgeEndpoint(endpoints, checked.value.url, { timeoutMs });
  return 'refusal' in verdict ? verdict.refusal : undefined;
}

/** The dispatcher's verdict on a URL. Fails with `unavailable` as {@link checkEndpoint} does. */
export async function judgeEndpoint(
  endpoints: Endpoints,
  url: string,
  { timeoutMs }: Deadline,
): Promise<EndpointVerdict> {
  const leftMs = timeoutMs();
  const limits = leftMs === undefined ? {} : { timeoutMs: leftMs - DATABASE_RESERVE_MS };
  return endpoints.check(url, limits).catch((cause: unknown) => {
    throw unavailable('the endpoint URL cannot be checked now', cause);
  });
}

export function refuseWhenOverdue({ timeoutMs }: Deadline): void {
  if ((timeoutMs() ?? 1) <= 0) throw unavailable('it took too long');
}

function unavailable(what: string, cause?: unknown): ServiceError {
  return new ServiceError('unavailable', `${what}; nothing was created or changed`, {
    retryAfterSeconds: 1,
    cause,
  });
}
