import { CALL_CONTENT_TYPE } from '@partner/proto-contracts/call';
import { createOperationClient, type OperationClient } from '../amqp/operation-client.js';
import { readReply } from '../amqp/operation-call.js';
import { operationHandlers, type ServedOperations } from '../amqp/operation-dispatch.js';
import { notCarriedOut } from '../amqp/rpc-error.js';
import { unlessSettled } from './unless-settled.js';

/**
 * A client that calls implementations in this process. Calls and replies are encoded, decoded and validated as over the broker;
 * deadlines and cancellations end a call with the same errors.
 */
export function inProcessOperations(served: ServedOperations): OperationClient {
  const handlerOf = operationHandlers(served);
  return createOperationClient(async ({ type, body, timeoutMs, signal }) => {
    if (signal?.aborted === true) throw notCarriedOut(signal.reason);
    const deadline = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
    const leftMs = () => deadline && deadline - performance.now();
    const givenUp = unlessSettled(signal, timeoutMs);
    try {
      const reply = await Promise.race([
        handlerOf({ type, contentType: CALL_CONTENT_TYPE }).run(body, leftMs),
        givenUp.promise,
      ]);
      return readReply(type, reply);
    } finally {
      givenUp.cancel();
    }
  });
}
