import type { RpcReply } from './rpc-reply.js';

/** Properties of a request by which its handler is found. Absent ones are empty. */
interface RequestProperties {
  readonly type: string;
  readonly contentType: string;
}

/** What a request runs. */
export interface RpcHandler {
  /** Label of logs, spans and metrics. */
  readonly name: string;
  /** True: a request that is redelivered may run again. */
  readonly isRepeatable: boolean;
  /** Never rejects: every error is a reply, also a response of more than 8 MiB. */
  run(content: Uint8Array, call: CallInFlight): Promise<RpcReply>;
}

/** What a handler knows about its call besides the content. */
interface CallInFlight {
  /** Returns the time until the caller's deadline, in ms; undefined: the request sets none. */
  readonly timeoutMs: () => number | undefined;
  readonly headers: () => Readonly<Record<string, string>>;
}

/** The handlers of one form of requests. */
export interface RpcHandlers {
  find(request: RequestProperties): RpcHandler | undefined;
  /** Returns the reply to a request of this form that has no handler; undefined: the request has another form. */
  refusalOf(request: RequestProperties): RpcReply | undefined;
}
