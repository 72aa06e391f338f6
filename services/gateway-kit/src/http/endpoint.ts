import type { CallOptions } from '@partner/kernel/amqp/operation-client';
import type { OperationInput } from '@partner/proto-contracts/api/operation';
import type { ResponseStream } from './response-stream.js';

/** An authenticated request with validated input. */
export interface EndpointRequest<Principal, Query, Body> {
  readonly principal: Principal;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  /** The query as sent: what job-state validates again. */
  readonly sentQuery: unknown;
  readonly body: Body;
  /** The `Idempotency-Key` header; always set if the endpoint requires it. */
  readonly idempotencyKey: string | undefined;
  /**
   * Method and path of the request, e.g. `POST /partner/v1/jobs/job_01j…/status-events`. An idempotency key is bound to
   * it.
   */
  readonly operation: string;
  /** SHA-256 of the canonical (key-sorted) JSON of the body as sent, unknown fields included. */
  readonly bodySha256: Buffer;
  readonly requestId: string;
  /** Version date for the response to name: the pinned one, else the current one. */
  readonly apiVersion: string;
  header(name: string): string | undefined;
  /** All headers by lower-case name; several of one name are joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** Options of every RPC of this request: deadline, cancellation and `x-request-id`. */
  readonly call: CallOptions;
  readonly remoteAddress: string;
}

export type ContentCoding = 'br' | 'gzip';

/** Response of an endpoint. Set `json`, `text` (a serialized body), or `bytes` with their `content-type`. */
export interface EndpointResponse {
  readonly status: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  /** The body compressed in advance, by coding. Without it, each response is compressed anew. */
  readonly compressed?: ReadonlyMap<ContentCoding, Uint8Array>;
  /**
   * Starts a streamed body, after the head has been sent. Must not throw; `headers` must hold its `content-type`. It is
   * called for every such response, so that its owner always sees the stream end. If there is no reader (HEAD, or a
   * client that has gone), the stream is over from the start. The owner also ends its streams on shutdown.
   */
  readonly stream?: (stream: ResponseStream) => void;
  /**
   * Extra response headers; several `set-cookie` values are an array. An `etag` here belongs to a conditional response
   * with a fixed text, and saves hashing the body.
   */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Fields for the request's log line; never personal data. */
  readonly logFields?: Readonly<Record<string, string>>;
}

/**
 * One endpoint of a surface: requirements of its operation and its handler. Checks run in this order: credentials
 * (401), rate limit (429), scope (403), header, query and body (400), then `handle`.
 */
export interface Endpoint<Principal, Query = unknown, Body = unknown> extends OperationInput<Query, Body> {
  handle(request: EndpointRequest<Principal, Query, Body>): Promise<EndpointResponse>;
}

export function serveOperation<Principal, Query, Body>(
  operation: OperationInput<Query, Body>,
  handle: Endpoint<Principal, Query, Body>['handle'],
): AnyEndpoint<Principal> {
  return { ...operation, handle };
}

/** An endpoint in a list. `handle` only receives the output of the endpoint's own schemas. */
// oxlint-disable-next-line typescript/no-explicit-any -- query and body are bound together inside each endpoint
export type AnyEndpoint<Principal> = Endpoint<Principal, any, any>;

export function methodsByPath<Principal>(
  endpoints: readonly AnyEndpoint<Principal>[],
): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of endpoints) {
    const names = method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
    methods.set(path, [...(methods.get(path) ?? []), ...names]);
  }
  return methods;
}

export function responseText({ text, json }: Pick<EndpointResponse, 'text' | 'json'>): string | undefined {
  return text ?? (json === undefined ? undefined : JSON.stringify(json));
}
