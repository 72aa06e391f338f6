import { checkEndpointOperation } from '@partner/proto-contracts/internal/webhooks/check-endpoint';
import { implementInternal } from '@partner/kernel/amqp/implement';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import { ServiceError } from '@partner/kernel/process/service-error';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';

/** A dispatcher that accepts URLs that contain "receiver" and returns them in lower case. */
export interface StubDispatcher extends Pick<OperationClient, 'callInternal'> {
  readonly calls: string[];
  isAway: boolean;
  /** Time until the deadline of the last call, in ms. */
  timeLeftMs: number | undefined;
  onCall: () => void | Promise<void>;
}

export function createStubDispatcher(): StubDispatcher {
  const check = implementInternal(checkEndpointOperation, async ({ url }, { timeoutMs }) => {
    dispatcher.timeLeftMs = timeoutMs();
    await dispatcher.onCall();
    if (dispatcher.isAway) throw new ServiceError('unavailable', 'no response in time');
    dispatcher.calls.push(url);
    return url.toLowerCase().includes('receiver')
      ? { normalizedUrl: url.toLowerCase() }
      : { refusal: 'must lead to a public address' };
  });
  const { callInternal } = inProcessOperations({ implementations: [check], callers: ['service'] });
  const dispatcher: StubDispatcher = {
    calls: [],
    isAway: false,
    timeLeftMs: undefined,
    onCall: () => undefined,
    callInternal,
  };
  return dispatcher;
}
