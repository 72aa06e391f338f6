import type { Transport } from '@connectrpc/connect';
import { EndpointService } from '@partner/proto-contracts/gen/partner/webhooks/v1/endpoint_service_pb';
import { rpcService } from '@partner/kernel/amqp/rpc-service';
import { ServiceError } from '@partner/kernel/process/service-error';
import { createInMemoryTransport } from '@partner/kernel/testing/in-memory-transport';

/** A dispatcher that accepts URLs that contain "receiver" and returns them in lower case. */
export interface StubDispatcher {
  readonly transport: Transport;
  /** The URLs of its calls. */
  readonly calls: (string | undefined)[];
  isAway: boolean;
  /** Time until the deadline of the last call, in ms. */
  timeLeftMs: number | undefined;
  /** Runs at each call. */
  onCall: () => void | Promise<void>;
}

export function createStubDispatcher(): StubDispatcher {
  const dispatcher: StubDispatcher = {
    calls: [],
    isAway: false,
    timeLeftMs: undefined,
    onCall: () => undefined,
    transport: createInMemoryTransport([
      rpcService(EndpointService, {
        async checkEndpoint({ url }, context) {
          dispatcher.timeLeftMs = context.timeoutMs();
          await dispatcher.onCall();
          if (dispatcher.isAway) throw new ServiceError('unavailable', 'no response in time');
          dispatcher.calls.push(url);
          return url?.toLowerCase().includes('receiver') === true
            ? { allowed: true, normalizedUrl: url.toLowerCase() }
            : { allowed: false, refusal: 'must lead to a public address' };
        },
      }),
    ]),
  };
  return dispatcher;
}
