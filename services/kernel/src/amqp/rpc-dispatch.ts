import { create, type DescMethod, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { HandlerContext, MethodImplSpec } from '@connectrpc/connect';
import { RpcErrorSchema } from '@partner/proto-contracts/gen/partner/rpc/v1/rpc_error_pb';
import type { ServiceError } from '../service-error.js';
import { encodeRpcError, notCarriedOut, serviceErrorFrom } from './rpc-error.js';
import type { RpcService } from './rpc-service.js';

/** A call's answer as it travels. `type` alone says whether the call succeeded: an empty body is a valid message. */
export interface RpcReply {
  /** Full name of the method's output message, or of `partner.rpc.v1.RpcError`. */
  readonly type: string;
  readonly body: Uint8Array;
  /** What failed, for logs; its cause does not travel. */
  readonly error?: ServiceError;
}

/** Request header: for how many milliseconds from its receipt on the caller waits for the answer; a whole number. */
export const TIMEOUT_HEADER = 'x-timeout-ms';

type UnaryMethod = Extract<MethodImplSpec, { kind: 'unary' }>;

/** Finds the method that a request names and carries it out. */
export interface RpcDispatcher {
  /** The method of such a name; undefined when none of the services has it. */
  find(callType: string): UnaryMethod | undefined;
  /** Reads the request, runs the method and writes the answer. Never rejects: every failure is a reply. */
  run(method: UnaryMethod, body: Uint8Array, context: HandlerContext): Promise<RpcReply>;
}

/** Makes the dispatcher of the unary methods of some services. */
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
        const answer = await impl(fromBinary(method.input, body), context);
        return { type: method.output.typeName, body: toBinary(method.output, create(method.output, answer)) };
      } catch (thrown) {
        return failedReply(serviceErrorFrom(thrown));
      }
    },
  };
}

/** The name under which a method is called: `properties.type` of a request, e.g. `partner.jobs.v1.JobService/GetJob`. */
export function callTypeOf(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}

/** The answer to a call that failed. */
export function failedReply(error: ServiceError): RpcReply {
  return { type: RpcErrorSchema.typeName, body: encodeRpcError(error), error };
}

/** The answer to a call of a method that this process does not have: it may be older than its caller. */
export function unknownMethodReply(callType: string): RpcReply {
  return failedReply(notCarriedOut(new Error(`no service here has a method "${callType}"`)));
}
