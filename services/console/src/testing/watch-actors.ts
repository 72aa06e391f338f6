import { create, type JsonValue, toJson } from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import type { Caller } from '@partner/proto-contracts/call';

/** A request to job-state that carries an actor. */
export interface ActedCall {
  readonly method: string;
  readonly actor: JsonValue;
}

/** Creates a transport that records the actor of each request, then forwards the request. */
export function watchActors(transport: Transport, note: (call: ActedCall) => void): Transport {
  return {
    unary(method, signal, timeoutMs, header, input, contextValues) {
      const json = toJson(method.input, create(method.input, input));
      if (typeof json === 'object' && json !== null && !Array.isArray(json) && json['actor'] !== undefined) {
        note({ method: method.name, actor: json['actor'] });
      }
      return transport.unary(method, signal, timeoutMs, header, input, contextValues);
    },
    stream: (...given) => transport.stream(...given),
  };
}

/** A call of an operation. */
export interface Called {
  readonly operation: string;
  readonly caller: Caller;
}
