import { once } from 'node:events';
import { CALL_CONTENT_TYPE } from '@partner/proto-contracts/call';
import { createOperationClient, type OperationClient } from '../amqp/operation-client.js';
import { readReply } from '../amqp/operation-call.js';
import { operationHandlers, type ServedOperations } from '../amqp/operation-dispatch.js';
import { notCarriedOut, outcomeUnknown } from '../amqp/rpc-error.js';

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
    const limit = timeoutMs === undefined ? [] : [AbortSignal.timeout(Math.ceil(timeoutMs))];
    const over = AbortSignal.any([...limit, ...(signal === undefined ? [] : [signal])]);
    const givenUp = once(over, 'abort').then(() => Promise.reject(outcomeUnknown(over.reason)));
    const handled = handlerOf({ type, contentType: CALL_CONTENT_TYPE }).run(body, leftMs);
    return readReply(type, await Promise.race([handled, givenUp]));
  });
}
