import type { ErrorReason } from '@partner/proto-contracts/api/error-reasons';
import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import { keyRefusal, missingScope } from '@partner/proto-contracts/api/refusals';
import { isForViewers, VIEWER_REFUSAL } from '@partner/proto-contracts/api/roles';
import { KEY_KINDS, type Surface } from '@partner/proto-contracts/api/scopes';
import { httpStatusOf } from '@partner/kernel/process/service-error';
import { KINDS, surfaceOf } from '../surfaces/surface-operations.js';

const SIGNED_IN = ['owner', 'owner without a recent password', 'page of another site', 'viewer'] as const;
export const SESSIONS = [...SIGNED_IN, 'ended session', 'expired session'] as const;
/** Keys that are not valid, but otherwise of the kind that the operation accepts. */
const INVALID_KEYS = [
  ...['malformed key', 'changed key', 'key of the other environment'],
  ...['unknown key', 'key with another secret', 'revoked key', 'expired key'],
] as const;
export const CALLERS = [...SESSIONS, ...INVALID_KEYS, ...KINDS, 'no credentials', 'operator'] as const;

export type Caller = (typeof CALLERS)[number];

/**
 * What a request is about: something of the company for which the caller acts, of another company, or of none. With invalid input it is
 * about nothing that exists, either.
 */
export type Target = 'own' | 'foreign' | 'missing' | 'malformed id' | 'invalid input';

export interface Outcome {
  /** 200 stands for any success. */
  readonly status: number;
  readonly code?: ErrorReason;
  /** A part of the error's text. */
  readonly error?: string;
}

/** What the declaration of an operation promises to a caller, in the order of HTTP-5. */
export function expectedOutcome(
  operation: AnyOperation,
  caller: Caller,
  target: Target,
  body: unknown,
): Outcome {
  const surface = surfaceOf(operation);
  const refusal =
    surface === 'console' ? refusedSession(operation, caller) : refusedKey(operation, caller, surface);
  if (refusal !== undefined && caller !== 'operator') return refusal;
  if (target === 'invalid input') return refuse('invalid_argument', '');
  if (caller === 'owner without a recent password' && operation.needsConfirmation?.(body) === true) {
    return refuse('confirmation_required', 'confirm your password with POST /partner-api/session/confirm');
  }
  // They are derived from any id.
  const isDerived = operation.id === 'getWebhookKeys' && target !== 'malformed id';
  return target === 'own' || isDerived ? { status: 200 } : refuse('not_found', 'no such ');
}

function refuse(code: ErrorReason, error: string): Outcome {
  return { status: httpStatusOf(code), code, error };
}

function refusedSession(operation: AnyOperation, caller: Caller): Outcome | undefined {
  const needsSession = operation.unauthenticated !== true;
  if (needsSession && !SIGNED_IN.some((name) => name === caller)) {
    return refuse('unauthenticated', '; sign in with POST /partner-api/session');
  }
  if (needsSession && caller === 'viewer' && !isForViewers(operation)) {
    return refuse('permission_denied', VIEWER_REFUSAL);
  }
  return caller === 'page of another site' && operation.method !== 'get'
    ? refuse('permission_denied', 'the origin header must be ')
    : undefined;
}

function refusedKey({ scope }: AnyOperation, caller: Caller, surface: Surface): Outcome | undefined {
  const kind = KINDS.find((name) => name === caller);
  if (kind !== undefined && KEY_KINDS[kind].surface === surface) {
    return scope === undefined || KEY_KINDS[kind].scopes.includes(scope)
      ? undefined
      : refuse('permission_denied', missingScope(surface, scope));
  }
  return refuse('unauthenticated', keyViolation(caller) ?? keyRefusal(surface));
}

/** What a 401 says of a key that shows its violation; one text covers all others. */
function keyViolation(caller: Caller): string | undefined {
  if (caller === 'malformed key') return 'x-api-key: must be one key of the form <keyId>.<secret>';
  if (caller === 'changed key') return 'x-api-key: has a secret that is incomplete or changed';
  if (caller === 'key of the other environment') return 'x-api-key: is a key of the production';
  return [...INVALID_KEYS, ...KINDS].some((name) => name === caller) ? undefined : 'x-api-key: is required';
}
