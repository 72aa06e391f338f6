import type { z } from 'zod';
import type { ErrorReason } from './error-reasons.js';
import type { Scope } from './scopes.js';

/** Path and input of an operation: the part of its contract that serving it needs. */
export interface OperationInput<Query, Body> {
  /** Unique over all surfaces, e.g. `recordStatusEvent`. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Express path, e.g. `/partner/v1/jobs/:id`. */
  readonly path: string;
  /** The id of the operation that job-state runs, if it is that of another surface. */
  readonly servedBy?: string;
  /** Absent: every authenticated caller may use it. */
  readonly scope?: Scope;
  /** True for an operation that creates the credentials itself, such as a login. */
  readonly unauthenticated?: boolean;
  /** True: counts against the limit of clients without credentials although it has no body, because it costs more than a count. */
  readonly isCounted?: boolean;
  readonly idempotencyKey?: 'required' | 'optional';
  /** True: a repeated call has no further effect. A read and a write with a required key need not say so; see {@link isRepeatable}. */
  readonly repeatable?: boolean;
  /** True: the path does not exist in production. */
  readonly sandboxOnly?: boolean;
  /** True: the response is 200 with an `ETag`, or 304 if `If-None-Match` has it. */
  readonly conditional?: boolean;
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  /**
   * What the body is, unless JSON: what a form of a page sends (`application/x-www-form-urlencoded`), or bytes of any type, as
   * base64.
   */
  readonly bodyType?: 'form' | 'bytes';
  /** Maximum bytes of the body, where it needs more than its surface accepts otherwise: 1 MB with an API key, 8 KB in the console. */
  readonly maxBodyBytes?: number;
  /**
   * Of the owners' API: whether such a request needs a recently confirmed password (`confirmation_required`). What shows a
   * secret, decides where and when webhooks are sent, or destroys what cannot be restored, needs one: a stolen cookie alone redirects and
   * destroys nothing.
   */
  readonly needsConfirmation?: (body: Body) => boolean;
  /** Of the owners' API: true for a change of the caller's own account, which a viewer may make too. */
  readonly ofOwnAccount?: boolean;
}

export interface ResponseHeader {
  readonly description: string;
  /** A number for an integer header. */
  readonly example: string | number;
  /** True: present in every such response. */
  readonly required?: boolean;
}

export interface OperationResponse<Output = unknown> {
  readonly description: string;
  /** Absent: no body. */
  readonly schema?: z.ZodType<Output>;
  /** Media type of the body; absent: `application/json`. */
  readonly mediaType?: 'text/event-stream';
  readonly example?: unknown;
  /** Headers of this response alone, by their lower-case names. */
  readonly headers?: Readonly<Record<string, ResponseHeader>>;
}

export interface BodyExample {
  /** A few words that distinguish it from the others. */
  readonly summary: string;
  readonly value: object;
  /** A field that needs a recent date. The description shows the current day, the curl command the current time. */
  readonly recentField?: string;
}

/**
 * The complete public contract of one operation, for serving, documentation, clients and tests. `Sent` is the body as a client writes
 * it, `Outputs` are the responses' bodies by status.
 */
export interface Operation<
  Query,
  Body,
  Param extends string = string,
  Id extends string = string,
  Sent = unknown,
  Outputs = Readonly<Record<number, unknown>>,
> extends OperationInput<Query, Body> {
  readonly id: Id;
  readonly body?: z.ZodType<Body, Sent>;
  /** A few words, e.g. `Record a status event`. */
  readonly summary: string;
  /** Effect and caveats, in Markdown. */
  readonly description: string;
  /** Meaning and example of each path parameter, by name. */
  readonly params?: Readonly<Record<Param, { readonly description: string; readonly example: string }>>;
  /** By a short name, e.g. `blocked`; the curl command shows the first one. */
  readonly bodyExamples?: Readonly<Record<string, BodyExample>>;
  /** True: the body's field `idempotencyKey` replaces the header `Idempotency-Key`. */
  readonly idempotencyKeyInBody?: boolean;
  readonly responses: { readonly [Status in keyof Outputs]: OperationResponse<Outputs[Status]> };
  /** Errors beyond those of every operation of its kind: bad input, credentials, limits and internal errors. */
  readonly errors?: readonly ErrorReason[];
}

export function defineOperation<
  const Id extends string,
  Query,
  Body,
  Sent,
  Outputs,
  Param extends string = never,
>(
  operation: Operation<Query, Body, Param, Id, Sent, Outputs>,
): Operation<Query, Body, Param, Id, Sent, Outputs> {
  return operation;
}

/** Returns whether a call may run again if it is not known whether it ran: it then has no further effect. */
export function isRepeatable(
  operation: Pick<OperationInput<unknown, unknown>, 'method' | 'idempotencyKey' | 'repeatable'>,
): boolean {
  return operation.repeatable ?? (operation.method === 'get' || operation.idempotencyKey === 'required');
}

/** A call between services that is not public, so it has no path. `input` and `output` are the JSON values of the call and its reply. */
export interface InternalOperation<Input, Output> {
  /** Unique over all operations, e.g. `authenticateKey`. */
  readonly id: string;
  /** True: a repeated call has no further effect. */
  readonly repeatable: boolean;
  readonly input: z.ZodType<Input>;
  readonly output: z.ZodType<Output>;
}

/** Defines a call that is not public, and infers the types of its parts. */
export function defineInternalOperation<Input, Output>(
  operation: InternalOperation<Input, Output>,
): InternalOperation<Input, Output> {
  return operation;
}

/** Operations with the input of another one, of any surface. */
export type OperationLike<Other> =
  Other extends Operation<infer Query, infer Body, infer Param> ? Operation<Query, Body, Param> : never;

/** An operation in a list. */
// oxlint-disable-next-line typescript/no-explicit-any -- query and body are bound together inside each operation
export type AnyOperation = Operation<any, any, any>;
