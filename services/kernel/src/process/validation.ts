import type { z } from 'zod';
import { type FieldViolation, ServiceError } from './service-error.js';

export type Validated<T> =
  | { readonly valid: true; readonly value: T }
  | { readonly valid: false; readonly violations: readonly FieldViolation[] };

/** Returns the specification's 400 error. The message names the first invalid field; `details` lists all. */
export function invalidArgument(violations: readonly FieldViolation[]): ServiceError {
  const [first] = violations;
  return new ServiceError(
    'invalid_argument',
    first === undefined ? 'the request is not valid' : `${first.path}: ${first.message}`,
    { details: violations },
  );
}

/**
 * Validates an input against a schema. Each violation says what would be valid, under the field's path. A violation of
 * the whole input is reported under `place`. Text that no database or message can hold (U+0000, an unpaired surrogate)
 * is a violation too.
 */
export function validate<T>(schema: z.ZodType<T>, input: unknown, place: string): Validated<T> {
  const result = schema.safeParse(input, { error: expectation });
  if (result.success) {
    const violations = unstorableTexts(result.data, []);
    return violations.length === 0 ? { valid: true, value: result.data } : { valid: false, violations };
  }
  const violations = result.error.issues.map((issue) => ({
    path: issue.path.length === 0 ? place : issue.path.map(String).join('.'),
    message: issue.message,
  }));
  return { valid: false, violations };
}

const TYPE_EXPECTATIONS: Readonly<Record<string, string>> = {
  string: 'must be a string',
  // No field allows a fraction.
  number: 'must be an integer',
  int: 'must be an integer',
  boolean: 'must be true or false',
  object: 'must be an object',
  record: 'must be an object',
  array: 'must be an array',
  null: 'must be null',
};

/** Describes what a schema expects, for schemas without a message. All such texts come from here. */
function expectation(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value')) {
    return 'is required';
  }
  switch (issue.code) {
    case 'invalid_type': {
      const wanted = TYPE_EXPECTATIONS[issue.expected] ?? `must be of type ${issue.expected}`;
      // A fraction is a number, so its type is not reported as wrong.
      const isFraction = typeof issue.input === 'number' && ['int', 'number'].includes(issue.expected);
      return isFraction ? wanted : `${wanted}, not ${typeOf(issue.input)}`;
    }
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return issue.origin === 'string' && issue.minimum === 1
        ? 'must not be empty'
        : bound('at least', issue.origin, issue.minimum);
    case 'too_big':
      return bound('at most', issue.origin, issue.maximum);
    case 'unrecognized_keys':
      return `must not contain ${issue.keys.join(', ')}`;
    default:
      return 'is not valid';
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function bound(side: 'at least' | 'at most', origin: string, limit: number | bigint): string {
  if (origin === 'string') return `must be ${side} ${limit} characters`;
  return origin === 'array' ? `must have ${side} ${limit} items` : `must be ${side} ${limit}`;
}

function unstorableTexts(value: unknown, path: readonly string[]): FieldViolation[] {
  if (typeof value === 'string') {
    if (value.includes('\0'))
      return [{ path: path.join('.'), message: 'must not contain the character U+0000' }];
    return /\p{Surrogate}/u.test(value)
      ? [{ path: path.join('.'), message: 'must be well-formed Unicode text' }]
      : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => unstorableTexts(member, [...path, name]));
}
