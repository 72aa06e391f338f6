import type { AnyEndpoint } from '@partner/gateway-kit/http/endpoint';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { OwnerSession } from './session-store.js';
import { CONFIRMED_MS } from './session-times.js';

/**
 * Returns the endpoint with its rule of confirmation (`needsConfirmation` of its operation): unless the owner has entered the
 * password in the last 15 minutes, such a request fails with `confirmation_required` and does nothing.
 */
export function confirmedEndpoint(
  endpoint: AnyEndpoint<OwnerSession>,
  clock: () => Date,
): AnyEndpoint<OwnerSession> {
  const { needsConfirmation } = endpoint;
  if (needsConfirmation === undefined) return endpoint;
  return {
    ...endpoint,
    async handle(request) {
      if (needsConfirmation(request.body) && !isConfirmed(request.principal, clock())) {
        throw new ServiceError(
          'confirmation_required',
          'confirm your password with POST /partner-api/session/confirm, then send the request again',
        );
      }
      return endpoint.handle(request);
    },
  };
}

/** An instant that lies further ahead than a confirmation reaches was not set by one. */
function isConfirmed({ confirmedUntil }: OwnerSession, now: Date): boolean {
  const leftMs = confirmedUntil.getTime() - now.getTime();
  return leftMs > 0 && leftMs <= CONFIRMED_MS;
}
