import { create, type DescService, fromBinary, toBinary } from '@bufbuild/protobuf';
import { createServiceImplSpec, type ServiceImpl, type Transport } from '@connectrpc/connect';
import { RpcErrorSchema } from '@partner/proto-contracts/gen/partner/rpc/v1/rpc_error_pb';
import { callHeaders } from '../amqp/message-text.js';
import { createRpcContext } from '../amqp/rpc-context.js';
import { callTypeOf, createRpcDispatcher, unknownMethodReply } from '../amqp/rpc-dispatch.js';
import { decodeRpcError, notCarriedOut, outcomeUnknown } from '../amqp/rpc-error.js';
import type { RpcService } from '../amqp/rpc-service.js';
import { requestIdHeaders, requestIdIn, runWithRequestId } from '../request-context.js';
import { ServiceError } from '../service-error.js';

/**
 * Connect transport that calls implementations in this process. Messages and errors are encoded and decoded as over the
 * broker. Deadlines and cancellations end a call with the same errors. Nothing else is simulated.
 */
export function createInMemoryTransport(services: readonly RpcService[]): Transport {
  const dispatcher = createRpcDispatcher(services);
  return {
    async unary(method, signal, timeoutMs, header, input) {
      if (signal?.aborted === true) throw notCarriedOut(signal.reason);
      const callType = callTypeOf(method);
      const found = dispatcher.find(callType);
      const headers = { ...requestIdHeaders(), ...callHeaders(header) };
      const { context, end } = createRpcContext({ method, timeoutMs, headers });
      const givenUp = unlessSettled(signal, timeoutMs);
      try {
        const reply = await Promise.race([
          found === undefined
            ? unknownMethodReply(callType)
            : runWithRequestId(requestIdIn(headers), () =>
                dispatcher.run(found, toBinary(method.input, create(method.input, input)), context),
              ),
          givenUp.promise,
        ]);
        if (reply.type === RpcErrorSchema.typeName) throw decodeRpcError(reply.body);
        return {
          stream: false,
          service: method.parent,
          method,
          header: new Headers(),
          trailer: new Headers(),
          message: fromBinary(method.output, reply.body),
        };
      } finally {
        givenUp.cancel();
        end();
      }
    },
    stream(method) {
      return Promise.reject(ServiceError.from(new Error(`${callTypeOf(method)} is a stream`)));
    },
  };
}

/** Binds only the methods of a service that a test calls; the others return `internal`. */
export function partialRpcService<Desc extends DescService>(
  service: Desc,
  implementation: Partial<ServiceImpl<Desc>>,
): RpcService {
  return createServiceImplSpec(service, implementation);
}

function unlessSettled(
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
): { readonly promise: Promise<never>; readonly cancel: () => void } {
  let cancel = (): void => undefined;
  const promise = new Promise<never>((_resolve, reject) => {
    const giveUp = () => reject(outcomeUnknown(signal?.reason));
    const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs);
    signal?.addEventListener('abort', giveUp);
    cancel = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    };
  });
  return { promise, cancel };
}
