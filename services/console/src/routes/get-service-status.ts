import { measureServiceStatusOperation } from '@partner/proto-contracts/internal/service-status/measure-service-status';
import { getServiceStatusOperation } from '@partner/proto-contracts/resources/service-status/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import type { CallOptions, OperationClient } from '@partner/kernel/amqp/operation-client';

/** How long a measurement is returned to everyone. */
const FRESH_MS = 10_000;

/**
 * `GET /partner-api/status`: whether the service works. Public, so all requests of 10 seconds share one measurement or its failure,
 * also the ones that wait for it. No client's cancellation ends it.
 */
export function getServiceStatus<Principal>(deps: {
  readonly operations: Pick<OperationClient, 'callInternal'>;
  readonly clock: () => Date;
}): AnyEndpoint<Principal> {
  const measure = (call: CallOptions) =>
    deps.operations.callInternal(measureServiceStatusOperation, {}, call);
  let last: { readonly at: number; readonly measurement: ReturnType<typeof measure> } | undefined;
  return serveOperation(getServiceStatusOperation, async ({ call: { signal: _signal, ...patient } }) => {
    const now = deps.clock().getTime();
    if (last === undefined || Math.abs(now - last.at) >= FRESH_MS) {
      last = { at: now, measurement: measure(patient) };
    }
    return { status: 200, json: await last.measurement };
  });
}
