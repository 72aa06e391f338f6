import type { z } from 'zod';
import type { ErrorReason } from './error-reasons.js';
import type { Scope } from './scopes.js';

/** Where an operation is and what it takes: as much of its contract as serving it needs. */
export interface OperationInput<Query, Body> {
  /** Unique over all surfaces, e.g. `recordStatusEvent`. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Express path, e.g. `/partner/v1/jobs/:id`. */
  readonly path: string;
  /** Absent: every authenticated caller may use it. */
  readonly scope?: Scope;
  /** True for an operation that makes the credentials itself, such as a login. */
  readonly unauthenticated?: boolean;
  readonly idempotencyKey?: 'required' | 'optional';
  /** True: in production there is no such path. */
  readonly sandboxOnly?: boolean;
  /** True: answers 200 with an `ETag`, and 304 to an `If-None-Match` that has it. */
  readonly conditional?: boolean;
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
}

/** A header of an answer. */
export interface AnswerHeader {
  readonly description: string;
  /** A number for a header that is an integer. */
  readonly example: string | number;
  /** True: every such answer has it. */
  readonly required?: boolean;
}

/** One successful answer of an operation. */
export interface OperationAnswer {
  readonly description: string;
  /** Absent: no body. */
  readonly schema?: z.ZodType;
  /** Of the body; absent: `application/json`. */
  readonly mediaType?: 'text/event-stream';
  readonly example?: unknown;
  /** Those that belong to this answer alone, by their lower-case names. */
  readonly headers?: Readonly<Record<string, AnswerHeader>>;
}

/** One body that a caller may send. */
export interface BodyExample {
  /** A few words that tell it from the others. */
  readonly summary: string;
  readonly value: object;
  /** A field that has to be recent: the description shows the day on which it is served, the ready command the clock's time. */
  readonly recentField?: string;
}

/** The whole public contract of one operation: what serves it, what documents it, and what tests check it against. */
export interface Operation<Query, Body> extends OperationInput<Query, Body> {
  /** A few words, e.g. `Record a status event`. */
  readonly summary: string;
  /** What it does and what to mind, in Markdown. */
  readonly description: string;
  /** What each path parameter means, with an example, by its name. */
  readonly params?: Readonly<Record<string, { readonly description: string; readonly example: string }>>;
  /** By a short name, e.g. `blocked`; the first one is shown in the ready command. */
  readonly bodyExamples?: Readonly<Record<string, BodyExample>>;
  /** True: the body's field `idempotencyKey` does what the header `Idempotency-Key` does elsewhere. */
  readonly idempotencyKeyInBody?: boolean;
  /** By status. */
  readonly answers: Readonly<Record<number, OperationAnswer>>;
  /** Beyond what every operation of its kind can answer: bad input, credentials, limits and faults of the service. */
  readonly errors?: readonly ErrorReason[];
}

/** Keeps the types of an operation's parts together where it is defined. */
export function defineOperation<Query, Body>(operation: Operation<Query, Body>): Operation<Query, Body> {
  return operation;
}

/** An operation in a list. */
// oxlint-disable-next-line typescript/no-explicit-any -- query and body are bound together inside each operation
export type AnyOperation = Operation<any, any>;
