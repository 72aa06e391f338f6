import type { CallOptions } from '@connectrpc/connect';
import type { OperationInput } from '@partner/proto-contracts/public-api/operation';
import type { AnswerStream } from './answer-stream.js';

/** One request whose caller is known and whose input has passed validation, in the form of the current version. */
export interface EndpointRequest<Principal, Query, Body> {
  readonly principal: Principal;
  /** Path parameters, as given. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** The `Idempotency-Key` header; always there when the endpoint requires it. */
  readonly idempotencyKey: string | undefined;
  /** Method and path as requested, e.g. `POST /partner/v1/jobs/job_01j…/status-events`: what an idempotency key is bound to. */
  readonly operation: string;
  /** SHA-256 of the canonical (key-sorted) JSON of the body as it was sent, unknown fields included. */
  readonly bodySha256: Buffer;
  readonly requestId: string;
  /**
   * The version date that the answer is to name: the one that the request pins, else the current one. The answer itself is
   * given in the form of the current version.
   */
  readonly apiVersion: string;
  /** A request header by its lower-case name. */
  header(name: string): string | undefined;
  /** Options for every RPC that this request makes: deadline, cancellation and `x-request-id`. */
  readonly call: CallOptions;
  readonly remoteAddress: string;
}

/** A coding in which a body can be sent. */
export type ContentCoding = 'br' | 'gzip';

/** What an endpoint answers. Give `json` or, for a body that is text already, `text`, or `bytes` with their `content-type`. */
export interface EndpointAnswer {
  readonly status: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  /** The body in the codings in which it was compressed beforehand; without it the body is compressed anew for each response. */
  readonly compressed?: ReadonlyMap<ContentCoding, Uint8Array>;
  /**
   * In place of a body: begins one that goes on, once the head has been sent, and must not throw; `headers` then hold its
   * `content-type`. It is called for every such answer, so that what waits for its end always hears of it: a stream that nobody
   * reads (HEAD, or a client that has gone) is over from the start. Whoever makes streams ends them at a shutdown too.
   */
  readonly stream?: (stream: AnswerStream) => void;
  /**
   * Added to the answer; several `set-cookie` values come as an array. An `etag` given here is that of a conditional answer whose
   * text is always the same, so that it need not be made anew.
   */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/**
 * One endpoint of a surface: what its operation asks of the caller and of the input, and what it does. Checks run in this
 * order: credentials (401), rate limit (429), scope (403), header, query and body (400), then `handle`.
 */
export interface Endpoint<Principal, Query = unknown, Body = unknown> extends OperationInput<Query, Body> {
  handle(request: EndpointRequest<Principal, Query, Body>): Promise<EndpointAnswer>;
}

/** Makes the endpoint that serves an operation. `handle` gets what the operation's own schemas gave. */
export function serveOperation<Principal, Query, Body>(
  operation: OperationInput<Query, Body>,
  handle: Endpoint<Principal, Query, Body>['handle'],
): AnyEndpoint<Principal> {
  return { ...operation, handle };
}

/** An endpoint in a list; `handle` is only ever called with what the endpoint's own schemas gave. */
// oxlint-disable-next-line typescript/no-explicit-any -- query and body are bound together inside each endpoint
export type AnyEndpoint<Principal> = Endpoint<Principal, any, any>;
