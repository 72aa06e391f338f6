import { idempotencyKeyHeader } from '@partner/proto-contracts/values/idempotency-key';
import type { Request } from 'express';
import { z } from 'zod';
import { type FieldViolation, ServiceError } from '@partner/kernel/process/service-error';
import { invalidArgument, validate } from '@partner/kernel/process/validation';
import { API_VERSION_HEADER } from '../versions/api-versions.js';
import { type SentJson, sha256OfSentJson } from './canonical-json.js';
import type { AnyEndpoint } from './endpoint.js';

interface RequestInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  /** Undefined for an operation without a query. */
  readonly sentQuery: unknown;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  readonly bodySha256: Buffer;
}

interface GivenInput {
  readonly params: Readonly<Record<string, string | readonly string[]>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly sentBody: SentJson | undefined;
  readonly idempotencyKey: string | undefined;
}

export function readInput<Principal>(
  endpoint: AnyEndpoint<Principal>,
  request: Request,
  sentBody: SentJson | undefined,
  versionProblem: string | undefined,
): RequestInput {
  const given = {
    params: request.params,
    query: request.query,
    body: sentBody?.value,
    sentBody,
    idempotencyKey: request.get('idempotency-key'),
  };
  const problems =
    versionProblem === undefined ? [] : [{ path: API_VERSION_HEADER, message: versionProblem }];
  return validateInput(endpoint, given, problems);
}

/** Validates the input of an endpoint. Throws one 400 that lists all violations, `problems` first. */
export function validateInput<Principal>(
  endpoint: AnyEndpoint<Principal>,
  given: GivenInput,
  problems: readonly FieldViolation[] = [],
): RequestInput {
  const params = textParameters(given.params);
  const violations = [...problems];
  const { idempotencyKey } = given;
  if (endpoint.idempotencyKey === 'required' || (endpoint.idempotencyKey && idempotencyKey !== undefined)) {
    const key = validate(idempotencyKeyHeader, idempotencyKey, 'Idempotency-Key');
    if (!key.valid) violations.push(...key.violations.slice(0, 1));
  }
  violations.push(...misspelledNames(endpoint.query, given.query));
  const query = endpoint.query === undefined ? undefined : validate(endpoint.query, given.query, 'query');
  if (query?.valid === false) violations.push(...query.violations);
  const body = endpoint.body === undefined ? undefined : validate(endpoint.body, given.body, 'body');
  if (body?.valid === false) violations.push(...body.violations);

  if (violations.length > 0) throw invalidArgument(violations);
  return {
    params,
    query: query?.valid === true ? query.value : undefined,
    sentQuery: endpoint.query === undefined ? undefined : given.query,
    body: body?.valid === true ? body.value : undefined,
    idempotencyKey: endpoint.idempotencyKey === undefined ? undefined : idempotencyKey,
    // The body as sent, so that a key's binding does not depend on validation.
    bodySha256: sha256OfSentJson(given.sentBody),
  };
}

function textParameters(params: GivenInput['params']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(params).map(([name, given]) => {
      // A wildcard's segments come one by one.
      const value = [given].flat().join('/');
      // No stored id contains U+0000, and the database would reject it.
      if (value.includes('\0')) throw new ServiceError('not_found', 'path: does not exist');
      return [name, value];
    }),
  );
}

/**
 * Returns a violation for each parameter that differs from a known one only in case or by a bracket suffix, such as
 * `Limit` and `limit[]`. Ignoring it would silently return another result than the caller wants.
 */
export function misspelledNames(
  query: z.ZodType | undefined,
  given: Readonly<Record<string, unknown>>,
): readonly FieldViolation[] {
  if (!(query instanceof z.ZodObject)) return [];
  const known = Object.keys(query.shape);
  const spellings = new Map(known.map((name) => [name.toLowerCase(), name]));
  return Object.keys(given).flatMap((name) => {
    const meant = spellings.get(name.replace(/\[.*$/s, '').toLowerCase());
    return meant === undefined || meant === name ? [] : [{ path: name, message: `must be written ${meant}` }];
  });
}
