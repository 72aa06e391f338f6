import { CALL_CONTENT_TYPE, type Caller, operationCall } from '@partner/proto-contracts/call';
import { ServiceError } from '../process/service-error.js';
import type { DecodedCall, Implementation } from './implement.js';
import { encodeFailure, encodeReply, type RpcReply } from './operation-call.js';
import { notCarriedOut } from './rpc-error.js';

/**
 * The reply to a message that is not a call: release 0.1.0 called by protobuf. It has the bytes with which that release itself refuses a
 * call that it does not know, `unavailable`, so its gateways respond with 503 and `retry-after`.
 */
const REFUSAL_OF_0_1_0: RpcReply = {
  type: 'partner.rpc.v1.RpcError',
  body: Buffer.from(
    'Cgt1bmF2YWlsYWJsZRJudGhlIHNlcnZpY2UgaXMgbm90IGF2YWlsYWJsZTsgbm90aGluZyB3YXMgZG9uZTsgcmV0cnksIHdpdGggdGhlIHNhbWUgSWRlbXBvdGVuY3ktS2V5IHdoZXJlIHRoZSByZXF1ZXN0IGhhZCBvbmU4AQ==',
    'base64',
  ),
  error: notCarriedOut(new Error('a message of release 0.1.0 is not a call')),
};

export interface ServedOperations {
  readonly implementations: readonly Implementation[];
  /** The kinds of callers in whose name its clients may call. Any other call fails with `permission_denied`. */
  readonly callers: readonly Caller['kind'][];
  /** The ids of operations that may also be called for an API key. */
  readonly forKeys?: readonly string[];
}

interface CallHandler {
  readonly name: string;
  /** True: a call that is redelivered may run again. */
  readonly isRepeatable: boolean;
  /** Never rejects: every error is a reply, also a response of more than 8 MiB. `timeoutMs` is the time until the caller's deadline. */
  run(content: Uint8Array, timeoutMs: () => number | undefined): Promise<RpcReply>;
}

/** Finds the handler of a message by its properties, of which absent ones are empty. */
type OperationHandlers = (call: { readonly type: string; readonly contentType: string }) => CallHandler;

/** Runs the operations of a queue. A call of any other operation fails with `unavailable`: this process may be older than its caller. */
export function operationHandlers({
  implementations,
  callers,
  forKeys = [],
}: ServedOperations): OperationHandlers {
  const handlers = new Map(
    implementations.map((implementation) => {
      const allowed = forKeys.includes(implementation.id) ? [...callers, 'key' as const] : callers;
      return [implementation.id, handlerOf(implementation, allowed)];
    }),
  );
  return ({ contentType, type }) => {
    if (contentType !== CALL_CONTENT_TYPE) return refusing(REFUSAL_OF_0_1_0);
    return (
      handlers.get(type) ?? refusing(encodeFailure(notCarriedOut(new Error(`"${type}" is not served here`))))
    );
  };
}

function refusing(reply: RpcReply): CallHandler {
  return { name: 'unknown', isRepeatable: true, run: () => Promise.resolve(reply) };
}

function handlerOf({ id, repeatable, run }: Implementation, callers: readonly Caller['kind'][]): CallHandler {
  return {
    name: id,
    isRepeatable: repeatable,
    async run(content, timeoutMs) {
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
        return encodeFailure(ServiceError.from(thrown));
      }
    },
  };
}

function decode(content: Uint8Array) {
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString();
  return operationCall.parse(JSON.parse(text));
}
