import { CALL_CONTENT_TYPE, type Caller, operationCall } from '@partner/proto-contracts/call';
import { ServiceError } from '../process/service-error.js';
import type { DecodedCall, Implementation } from './implement.js';
import { encodeFailure, encodeReply } from './operation-call.js';
import { notCarriedOut, serviceErrorFrom } from './rpc-error.js';
import type { RpcHandler, RpcHandlers } from './rpc-handlers.js';

/** The operations of a queue. */
export interface ServedOperations {
  readonly implementations: readonly Implementation[];
  /** The kinds of callers in whose name its clients may call. Any other call fails with `permission_denied`. */
  readonly callers: readonly Caller['kind'][];
}

/** Finds and runs the operations of a queue. A call of any other operation fails with `unavailable`: this process may be older than its caller. */
export function operationHandlers({ implementations, callers }: ServedOperations): RpcHandlers {
  const handlers = new Map(
    implementations.map((implementation) => [implementation.id, handlerOf(implementation, callers)]),
  );
  return {
    find: ({ contentType, type }) => (contentType === CALL_CONTENT_TYPE ? handlers.get(type) : undefined),
    refusalOf: ({ contentType, type }) =>
      contentType === CALL_CONTENT_TYPE
        ? encodeFailure(notCarriedOut(new Error(`no operation "${type}" is served here`)))
        : undefined,
  };
}

function handlerOf({ id, repeatable, run }: Implementation, callers: readonly Caller['kind'][]): RpcHandler {
  return {
    name: id,
    isRepeatable: repeatable,
    async run(content, { timeoutMs }) {
      try {
        const { idempotencyKey, ...call } = decode(content);
        if (!callers.includes(call.caller.kind)) {
          throw new ServiceError(
            'permission_denied',
            `caller: no ${call.caller.kind} calls through this queue`,
          );
        }
        const decoded: DecodedCall = {
          ...call,
          timeoutMs,
          query: call.query,
          body: call.body,
          after: call.after,
          idempotencyKey: idempotencyKey && {
            key: idempotencyKey.key,
            operation: idempotencyKey.request,
            bodySha256: Buffer.from(idempotencyKey.bodySha256, 'hex'),
          },
        };
        return encodeReply(id, await run(decoded));
      } catch (thrown) {
        return encodeFailure(serviceErrorFrom(thrown));
      }
    },
  };
}

function decode(content: Uint8Array) {
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString();
  return operationCall.parse(JSON.parse(text));
}
