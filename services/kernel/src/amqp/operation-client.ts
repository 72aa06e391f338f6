import type { Caller, OperationCall } from '@partner/proto-contracts/call';
import type { InternalOperation } from '@partner/proto-contracts/api/operation';
import { encodeCall, type OperationReply } from './operation-call.js';

export interface CallOptions {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Calls the operations that the process behind a queue serves. Every failure is a `ServiceError`. */
export interface OperationClient {
  /** Calls a public operation; its reply holds the public JSON. */
  call(
    operation: { readonly id: string },
    call: OperationCall,
    options?: CallOptions,
  ): Promise<OperationReply>;
  /** Calls an operation that is not public. `caller` is the calling service itself unless it is given. */
  callInternal<Input, Output>(
    operation: InternalOperation<Input, Output>,
    input: Input,
    options?: CallOptions & { readonly caller?: Caller },
  ): Promise<Output>;
}

const SERVICE: Caller = { kind: 'service' };

export interface SentCall extends CallOptions {
  readonly type: string;
  readonly body: Uint8Array;
}

export function createOperationClient(send: (call: SentCall) => Promise<OperationReply>): OperationClient {
  const call: OperationClient['call'] = ({ id }, sent, { timeoutMs, signal } = {}) =>
    send({ type: id, body: encodeCall(sent), timeoutMs, signal });
  return {
    call,
    async callInternal(operation, input, { caller = SERVICE, ...options } = {}) {
      const { json } = await call(operation, { caller, body: input }, options);
      return operation.output.parse(JSON.parse(json));
    },
  };
}
