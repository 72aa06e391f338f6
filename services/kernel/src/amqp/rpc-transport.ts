import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import { RpcErrorSchema } from '@partner/proto-contracts/gen/partner/rpc/v1/rpc_error_pb';
import type { Logger } from '../telemetry/logger.js';
import { ServiceError } from '../process/service-error.js';
import { callHeaders } from './message-text.js';
import { createRpcClient, type RpcClient, type RpcClientOptions } from './rpc-client.js';
import { callTypeOf } from './rpc-dispatch.js';
import { decodeRpcError } from './rpc-error.js';
import type { RpcReply } from './rpc-reply.js';

/**
 * A Connect transport that calls services over the broker, as {@link createRpcClient} says. Unary calls only.
 */
export function createRpcTransport(options: RpcClientOptions): Transport & { close(): Promise<void> } {
  const client = createRpcClient(options);
  return { ...transportOver(client, options), close: () => client.close() };
}

/** The transport over a client that also makes calls of another form. */
export function transportOver(
  client: Pick<RpcClient, 'call'>,
  { logger }: { readonly logger: Logger },
): Transport {
  return {
    async unary(method, signal, timeoutMs, header, input) {
      const message = await client.call(
        {
          type: callTypeOf(method),
          body: toBinary(method.input, create(method.input, input)),
          timeoutMs,
          signal,
          headers: callHeaders(header),
        },
        (reply) => readReply(method, reply, logger),
      );
      return {
        stream: false,
        service: method.parent,
        method,
        header: new Headers(),
        trailer: new Headers(),
        message,
      };
    },
    stream(method) {
      return Promise.reject(
        ServiceError.from(
          new Error(`${callTypeOf(method)} is a stream; this transport supports unary calls only`),
        ),
      );
    },
  };
}

/** Decodes the reply to a call. Throws the failure that it carries, or `internal` for a reply of another type. */
function readReply<O extends DescMessage>(
  method: DescMethodUnary<DescMessage, O>,
  { type, body }: RpcReply,
  logger: Logger,
): MessageShape<O> {
  const callType = callTypeOf(method);
  if (type === RpcErrorSchema.typeName) throw decodeRpcError(body);
  if (type !== method.output.typeName) {
    logger.error({ method: callType, type }, 'rpc.response_not_understood');
    throw ServiceError.from(new Error(`the response to ${callType} is a "${type}"`));
  }
  return fromBinary(method.output, body);
}
