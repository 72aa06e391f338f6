import { CALL_CONTENT_TYPE } from '@partner/proto-contracts/call';
import { createOperationClient, type OperationClient } from '../amqp/operation-client.js';
import { operationHandlers, type ServedOperations } from '../amqp/operation-dispatch.js';
import { notCarriedOut } from '../amqp/rpc-error.js';
import { unlessSettled } from './unless-settled.js';

/**
 * A client that calls implementations in this process. Calls and replies are encoded, decoded and validated as over the broker;
 * deadlines and cancellations end a call with the same errors.
 */
export function inProcessOperations(served: ServedOperations): OperationClient {
  const handlers = operationHandlers(served);
  return createOperationClient({
    async call({ type, body, timeoutMs, signal }, read) {
      if (signal?.aborted === true) throw notCarriedOut(signal.reason);
      const request = { type, contentType: CALL_CONTENT_TYPE };
      const deadline = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
      const handler = handlers.find(request);
      const givenUp = unlessSettled(signal, timeoutMs);
      try {
        const reply = await Promise.race([
          handler === undefined
            ? handlers.refusalOf(request)
            : handler.run(body, () => deadline && deadline - performance.now()),
          givenUp.promise,
        ]);
        return read(reply);
      } finally {
        givenUp.cancel();
      }
    },
  });
}
