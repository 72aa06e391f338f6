import type { CallOptions } from '@connectrpc/connect';
import type { Scope } from '@partner/proto-contracts/public-api/scopes';
import type { z } from 'zod';

/** One request whose caller is known and whose input has passed validation. */
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
  /** SHA-256 of the canonical (key-sorted) JSON of the body as parsed, unknown fields included. */
  readonly bodySha256: Buffer;
  readonly requestId: string;
  /** A request header by its lower-case name. */
  header(name: string): string | undefined;
  /** Options for every RPC that this request makes: deadline, cancellation and `x-request-id`. */
  readonly call: CallOptions;
  readonly remoteAddress: string;
}

/** What an endpoint answers. Give `json` or, for a body that is text already, `text`. */
export interface EndpointAnswer {
  readonly status: number;
  readonly json?: unknown;
  readonly text?: string;
  /** Added to the answer; several `set-cookie` values come as an array. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/**
 * One endpoint of a surface: its place, what it asks of the caller and of the input, and what it does. Checks run in this
 * order: credentials (401), rate limit (429), scope (403), header, query and body (400), then `handle`.
 */
export interface Endpoint<Principal, Query = unknown, Body = unknown> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Express path, e.g. `/partner/v1/jobs/:id`. */
  readonly path: string;
  /** Absent: every authenticated caller may use it. */
  readonly scope?: Scope;
  /** True for an endpoint that makes or ends the credentials itself, such as a login. `principal` is then undefined. */
  readonly unauthenticated?: boolean;
  readonly idempotencyKey?: 'required' | 'optional';
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  handle(request: EndpointRequest<Principal, Query, Body>): Promise<EndpointAnswer>;
}

/** Keeps the types of an endpoint's parts together where it is defined, and forgets them where endpoints are listed. */
export function defineEndpoint<Principal, Query, Body>(
  endpoint: Endpoint<Principal, Query, Body>,
): AnyEndpoint<Principal> {
  return endpoint;
}

/** An endpoint in a list; `handle` is only ever called with what the endpoint's own schemas gave. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- query and body are bound together inside each endpoint
export type AnyEndpoint<Principal> = Endpoint<Principal, any, any>;
