import type { Client } from '@connectrpc/connect';
import type { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { getServiceStatusOperation } from '@partner/proto-contracts/resources/service-status/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { forwardResource } from '../forward-resource.js';

/** How long a measurement is returned to everyone. */
const FRESH_MS = 10_000;

/**
 * `GET /partner-api/status`: whether the service works. Public, so all requests of 10 seconds share one measurement or its failure,
 * also the ones that wait for it. No client's cancellation ends it.
 */
export function getServiceStatus<Principal>(deps: {
  readonly deliveries: Pick<Client<typeof DeliveryService>, 'getServiceStatus'>;
  readonly clock: () => Date;
}): AnyEndpoint<Principal> {
  type Measurement = ReturnType<typeof deps.deliveries.getServiceStatus>;
  let last: { readonly at: number; readonly measurement: Measurement } | undefined;
  return serveOperation(getServiceStatusOperation, async ({ call: { signal: _signal, ...patient } }) => {
    const now = deps.clock().getTime();
    if (last === undefined || Math.abs(now - last.at) >= FRESH_MS) {
      last = { at: now, measurement: deps.deliveries.getServiceStatus({}, patient) };
    }
    return forwardResource(200, await last.measurement);
  });
}
