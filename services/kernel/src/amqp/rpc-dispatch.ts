import { create, type DescMethod, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { HandlerContext, MethodImplSpec } from '@connectrpc/connect';
import { RpcErrorSchema } from '@partner/proto-contracts/gen/partner/rpc/v1/rpc_error_pb';
import type { ServiceError } from '../service-error.js';
import { checkMessageSize } from './message-size.js';
import { encodeRpcError, notCarriedOut, serviceErrorFrom } from './rpc-error.js';
import type { RpcService } from './rpc-service.js';

/** An encoded RPC response. `type` alone shows whether the call succeeded: an empty body is a valid message. */
export interface RpcReply {
  /** Full name of the method's output message, or of `partner.rpc.v1.RpcError`. */
  readonly type: string;
  readonly body: Uint8Array;
  /** The error, for logs; its cause is not sent. */
  readonly error?: ServiceError;
}

/** Request header: time from receipt until the caller's deadline, in whole ms. */
export const TIMEOUT_HEADER = 'x-timeout-ms';

type UnaryMethod = Extract<MethodImplSpec, { kind: 'unary' }>;

/** Finds and runs the method that a request names. */
export interface RpcDispatcher {
  /** Returns the method with this name; undefined if no service has it. */
  find(callType: string): UnaryMethod | undefined;
  /**
   * Decodes the request, runs the method and encodes the response. Never rejects: every error is a reply, also a response
   * of more than 8 MiB.
   */
  run(method: UnaryMethod, body: Uint8Array, context: HandlerContext): Promise<RpcReply>;
}

/** Creates the dispatcher of the unary methods of the services. */
export function createRpcDispatcher(services: readonly RpcService[]): RpcDispatcher {
  const methods = new Map<string, UnaryMethod>();
  for (const { methods: specs } of services) {
    for (const spec of Object.values(specs)) {
      if (spec.kind === 'unary') methods.set(callTypeOf(spec.method), spec);
    }
  }
  return {
    find: (callType) => methods.get(callType),
    async run({ method, impl }, body, context) {
      try {
        const output = await impl(fromBinary(method.input, body), context);
        const response = toBinary(method.output, create(method.output, output));
        checkMessageSize(`the response of ${callTypeOf(method)}`, response);
        return { type: method.output.typeName, body: response };
      } catch (thrown) {
        return failedReply(serviceErrorFrom(thrown));
      }
    },
  };
}

/** Returns the name of a method in `properties.type` of a request, e.g. `partner.jobs.v1.JobService/GetJob`. */
export function callTypeOf(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}

/** Returns the response to a failed call. */
function failedReply(error: ServiceError): RpcReply {
  return { type: RpcErrorSchema.typeName, body: encodeRpcError(error), error };
}

/** Returns the response to a call of an unknown method: this process may be older than its caller. */
export function unknownMethodReply(callType: string): RpcReply {
  return failedReply(notCarriedOut(new Error(`no service here has a method "${callType}"`)));
}
