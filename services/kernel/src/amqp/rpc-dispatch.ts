import { create, type DescMethod, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { MethodImplSpec } from '@connectrpc/connect';
import { RpcErrorSchema } from '@partner/proto-contracts/gen/partner/rpc/v1/rpc_error_pb';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import type { ServiceError } from '../process/service-error.js';
import { checkMessageSize } from './message-size.js';
import { createRpcContext } from './rpc-context.js';
import { encodeRpcError, notCarriedOut, serviceErrorFrom } from './rpc-error.js';
import type { RpcHandler, RpcHandlers } from './rpc-handlers.js';
import type { RpcReply } from './rpc-reply.js';
import type { RpcService } from './rpc-service.js';

type UnaryMethod = Extract<MethodImplSpec, { kind: 'unary' }>;

/** Finds and runs the unary methods of protobuf services. A call of an unknown method fails with `unavailable`: this process may be older than its caller. */
export function serviceHandlers(services: readonly RpcService[]): RpcHandlers {
  const handlers = new Map<string, RpcHandler>();
  for (const { methods: specs } of services) {
    for (const spec of Object.values(specs)) {
      if (spec.kind === 'unary') handlers.set(callTypeOf(spec.method), handlerOf(spec));
    }
  }
  return {
    find: ({ type, contentType }) => (contentType === '' ? handlers.get(type) : undefined),
    refusalOf: ({ type }) => unknownMethodReply(type),
  };
}

function handlerOf({ method, impl }: UnaryMethod): RpcHandler {
  return {
    name: callTypeOf(method),
    isRepeatable: method.idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN,
    async run(content, call) {
      const { context, end } = createRpcContext({
        method,
        timeoutMs: call.timeoutMs(),
        headers: call.headers(),
      });
      try {
        const output = await impl(fromBinary(method.input, content), context);
        const response = toBinary(method.output, create(method.output, output));
        checkMessageSize(`the response of ${callTypeOf(method)}`, response);
        return { type: method.output.typeName, body: response };
      } catch (thrown) {
        return failedReply(serviceErrorFrom(thrown));
      } finally {
        end();
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
function unknownMethodReply(callType: string): RpcReply {
  return failedReply(notCarriedOut(new Error(`no service here has a method "${callType}"`)));
}
