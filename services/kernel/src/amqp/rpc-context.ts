import type { DescMethod } from '@bufbuild/protobuf';
import { createContextValues, type HandlerContext } from '@connectrpc/connect';
import { outcomeUnknown } from './rpc-error.js';

/** Context in which one call runs. */
export interface RpcContext {
  readonly context: HandlerContext;
  /** True after the caller's deadline. */
  readonly isOverdue: () => boolean;
  /** Frees the context's resources and aborts its signal, as Connect does after each call. */
  readonly end: () => void;
}

/**
 * Creates the context of one call. It matches Connect's, but signals and headers are created lazily: they are most of
 * the cost of a short call.
 */
export function createRpcContext(options: {
  readonly method: DescMethod;
  /** Time until the caller's deadline, in ms; undefined: the request sets none. */
  readonly timeoutMs: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
}): RpcContext {
  const { method } = options;
  const deadline = options.timeoutMs === undefined ? undefined : performance.now() + options.timeoutMs;
  const timeLeftMs = () => (deadline === undefined ? undefined : deadline - performance.now());
  const isOverdue = () => (timeLeftMs() ?? 1) <= 0;
  let abort: AbortController | undefined;
  let timer: NodeJS.Timeout | undefined;
  const once = <T>(make: () => T) => {
    let made: T | undefined;
    return () => (made ??= make());
  };
  const signal = once(() => {
    const controller = new AbortController();
    abort = controller;
    const left = timeLeftMs();
    if (left !== undefined) timer = setTimeout(() => controller.abort(outcomeUnknown()), Math.max(0, left));
    return controller.signal;
  });
  const requestHeader = once(() => new Headers(options.headers));
  const responseHeader = once(() => new Headers());
  const responseTrailer = once(() => new Headers());
  const values = once(() => createContextValues());
  return {
    isOverdue,
    context: {
      method,
      service: method.parent,
      timeoutMs: timeLeftMs,
      requestMethod: 'POST',
      protocolName: 'amqp',
      url: `amqp:/${method.parent.typeName}/${method.name}`,
      get signal() {
        return signal();
      },
      get requestHeader() {
        return requestHeader();
      },
      get responseHeader() {
        return responseHeader();
      },
      get responseTrailer() {
        return responseTrailer();
      },
      get values() {
        return values();
      },
    },
    end() {
      clearTimeout(timer);
      abort?.abort();
    },
  };
}
