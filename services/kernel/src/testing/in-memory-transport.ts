import { create, type DescService, fromBinary, toBinary } from '@bufbuild/protobuf';
import { createServiceImplSpec, type ServiceImpl, type Transport } from '@connectrpc/connect';
import { RpcErrorSchema } from '@partner/proto-contracts/gen/partner/rpc/v1/rpc_error_pb';
import { callHeaders } from '../amqp/message-text.js';
import { callTypeOf, serviceHandlers } from '../amqp/rpc-dispatch.js';
import { decodeRpcError, notCarriedOut } from '../amqp/rpc-error.js';
import type { RpcService } from '../amqp/rpc-service.js';
import { requestIdHeaders, requestIdIn, runWithRequestId } from '../telemetry/request-context.js';
import { ServiceError } from '../process/service-error.js';
import { unlessSettled } from './unless-settled.js';

/**
 * Connect transport that calls implementations in this process. Messages and errors are encoded and decoded as over the
 * broker. Deadlines and cancellations end a call with the same errors. Nothing else is simulated.
 */
export function createInMemoryTransport(services: readonly RpcService[]): Transport {
  const handlers = serviceHandlers(services);
  return {
    async unary(method, signal, timeoutMs, header, input) {
      if (signal?.aborted === true) throw notCarriedOut(signal.reason);
      const request = { type: callTypeOf(method), contentType: '' };
      const found = handlers.find(request);
      const headers = { ...requestIdHeaders(), ...callHeaders(header) };
      const deadline = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
      const leftMs = () => deadline && deadline - performance.now();
      const givenUp = unlessSettled(signal, timeoutMs);
      try {
        const reply = await Promise.race([
          found === undefined
            ? handlers.refusalOf(request)
            : runWithRequestId(requestIdIn(headers), () =>
                found.run(toBinary(method.input, create(method.input, input)), {
                  timeoutMs: leftMs,
                  headers: () => headers,
                }),
              ),
          givenUp.promise,
        ]);
        if (reply === undefined) throw new Error(`${method.name} has no reply`);
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
