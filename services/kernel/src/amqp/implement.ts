import type { Caller } from '@partner/proto-contracts/call';
import { type InternalOperation, isRepeatable, type Operation } from '@partner/proto-contracts/api/operation';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { z } from 'zod';
import { ServiceError } from '../process/service-error.js';
import { invalidArgument, validate } from '../process/validation.js';
import type { OperationReply } from './operation-call.js';

export interface CallContext {
  readonly caller: Caller;
  /** Returns the time until the caller's deadline, in ms; undefined: it has none. */
  readonly timeoutMs: () => number | undefined;
}

export interface DecodedCall extends CallContext {
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  readonly after: string | undefined;
  readonly idempotencyKey: IdempotencyKey | undefined;
}

/** What binds a write to its first use (spec: Idempotency rules). */
interface IdempotencyKey {
  readonly key: string;
  /** Method and path. */
  readonly operation: string;
  /** SHA-256 of the canonical body as sent. */
  readonly bodySha256: Buffer;
}

/** A call of a public operation with validated input. It is made for a company. */
export interface OperationRequest<Query, Body, Param extends string = string> extends CallContext {
  readonly companyId: string;
  readonly companyClass: CompanyClassName;
  readonly params: Readonly<Record<Param, string>>;
  readonly query: Query;
  readonly body: Body;
  /** Where the page starts; undefined: at its beginning. */
  readonly after: string | undefined;
  /** Set if the operation requires one. */
  readonly idempotencyKey: IdempotencyKey | undefined;
}

export interface Implementation {
  readonly id: string;
  readonly repeatable: boolean;
  run(call: DecodedCall): Promise<OperationReply>;
}

/**
 * Binds a public operation to its use case, which returns the public JSON as text.
 *
 * The input is validated by the schemas by which the gateway has validated it. An invalid one fails with `invalid_argument`, and a
 * call that names no company with `internal`.
 */
export function implement<Query, Body, Param extends string>(
  operation: Operation<Query, Body, Param>,
  useCase: (request: OperationRequest<Query, Body, Param>) => Promise<OperationReply>,
): Implementation {
  const names = Object.keys(operation.params ?? {});
  const paramsSchema = z.custom<Readonly<Record<Param, string>>>(
    (given) => isTexts(given) && names.every((name) => given[name] !== undefined),
  );
  const querySchema = operation.query ?? z.custom<Query>();
  const bodySchema = operation.body ?? z.custom<Body>();
  return {
    id: operation.id,
    repeatable: isRepeatable(operation),
    async run({ params, query, body, ...call }) {
      const { caller, idempotencyKey } = call;
      const { companyId, companyClass } = { companyId: undefined, companyClass: undefined, ...caller };
      if (companyId === undefined || companyClass === undefined) {
        throw ServiceError.from(new Error(`a call of ${operation.id} names no company`));
      }
      if (operation.idempotencyKey === 'required' && idempotencyKey === undefined) {
        throw invalidArgument([{ path: 'Idempotency-Key', message: 'is required' }]);
      }
      return useCase({
        ...call,
        companyId,
        companyClass,
        params: validated(paramsSchema, params, 'path'),
        query: validated(querySchema, query, 'query'),
        body: validated(bodySchema, body, 'body'),
      });
    },
  };
}

/** Binds a call that is not public to its use case, which returns its output. Input is validated as {@link implement} does. */
export function implementInternal<Input, Output>(
  operation: InternalOperation<Input, Output>,
  useCase: (input: Input, context: CallContext) => Promise<Output>,
): Implementation {
  const { id, repeatable, input } = operation;
  return {
    id,
    repeatable,
    async run({ body, caller, timeoutMs }) {
      const output = await useCase(validated(input, body, 'input'), { caller, timeoutMs });
      return { json: JSON.stringify(output) };
    },
  };
}

function isTexts(given: unknown): given is Readonly<Record<string, string>> {
  return (
    typeof given === 'object' &&
    given !== null &&
    Object.values(given).every((value) => typeof value === 'string')
  );
}

function validated<T>(schema: z.ZodType<T>, input: unknown, place: string): T {
  const result = validate(schema, input, place);
  if (!result.valid) throw invalidArgument(result.violations);
  return result.value;
}
