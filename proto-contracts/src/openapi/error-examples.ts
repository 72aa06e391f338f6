import type { ErrorBody } from '../api/error-body.js';
import type { ErrorReason } from '../api/error-reasons.js';
import { LIMITS, WEBHOOK_LIMITS } from '../api/limits.js';
import { COUNTED_AS, keyRefusal, missingScope, requestLimitReached } from '../api/refusals.js';
import { KEY_LIMITS } from '../resources/api-key/api-key.js';
import { INSTALLER_JOB_EXAMPLE } from '../resources/job/job.js';

const { version } = INSTALLER_JOB_EXAMPLE;

function validation(path: string, message: string) {
  return { error: `${path}: ${message}`, details: [{ path, message }] };
}

/** Example of each error code, without the fields that all errors share. */
export const ERROR_EXAMPLES: Readonly<Record<ErrorReason, Omit<ErrorBody, 'code' | 'requestId'>>> = {
  invalid_argument: validation('expectedVersion', 'must be at least 1'),
  body_too_complex: validation('body', 'must have at most 20000 JSON tokens'),
  body_too_slow: { error: 'body: at least 32768 bytes must arrive every 10 seconds until it ends' },
  cursor_invalid: validation('cursor', 'must be a nextCursor that was issued to this company'),
  unauthenticated: { error: keyRefusal('installer') },
  permission_denied: { error: missingScope('inbound', 'jobs:status:write') },
  confirmation_required: {
    error: 'confirm your password with POST /partner-api/session/confirm, then send the request again',
  },
  last_owner: {
    error: 'the company has no other owner who can sign in; make someone else an owner first',
  },
  colleague_limit_reached: {
    error: 'a company can have at most 50 people in the console; remove one first',
  },
  password_wrong: { error: 'the password is wrong' },
  second_factor_required: { error: 'enter the code of your authenticator app, or a recovery code' },
  second_factor_wrong: { error: 'the code is wrong or was already used; enter the next one' },
  provider_sign_in_refused: {
    error: 'this sign-in was not started in this browser, was already used, or has expired; start it again',
  },
  not_found: { error: 'no such job' },
  method_not_allowed: { error: 'method: PATCH is not allowed here; allowed: GET, HEAD' },
  stale_version: {
    error: `expectedVersion is ${version - 1}, but the job is at version ${version}; read it again`,
    currentVersion: version,
  },
  idempotency_mismatch: {
    error:
      'this Idempotency-Key was used with a different method, path or body; all fields of the body count, exactly as sent; use a new key',
  },
  idempotency_in_progress: {
    error: 'a request with this Idempotency-Key is still running; retry with the same key',
  },
  test_delivery_required: {
    error: 'the subscription has had no verified test delivery; send one and wait until it is delivered',
  },
  subscription_limit_reached: {
    error: `a company can have at most ${WEBHOOK_LIMITS.subscriptionsPerCompany} webhook subscriptions; delete one first`,
  },
  secret_version_mismatch: {
    error: 'pendingSecretVersion: 1 is already active; the pending secret is 2',
  },
  delivery_not_replayable: {
    error: 'the delivery is retry_scheduled; only one that is delivered or dead_lettered can be replayed',
  },
  delivery_not_waiting: {
    error: 'the delivery is delivered; only one that is waiting for a retry can be retried now',
  },
  replay_in_progress: {
    error:
      'dlv_01k3jd9w6ne3zr1v8xk5c2m4qa is already sending this event to this subscription; wait until it has finished',
  },
  event_expired: { error: 'the event is no longer kept; there is nothing to replay' },
  key_not_rotatable: { error: 'the key is revoked; create another one' },
  second_factor_enabled: { error: 'a second factor is already enabled; disable it first' },
  payload_too_large: { error: `body: must be at most ${LIMITS.bodyBytes} bytes` },
  transition_not_allowed: {
    error: 'a job that is ASSIGNED cannot move to COMPLETE; it can move to: ACKNOWLEDGED, BLOCKED',
    currentStatus: 'ASSIGNED',
    allowed: ['ACKNOWLEDGED', 'BLOCKED'],
  },
  schedule_invalid: { error: 'endsAt: must be after startsAt' },
  technician_not_assignable: { error: 'membershipIds.1: must be an active technician of the company' },
  note_limit_reached: {
    error: `note: all notes of a job together must be at most ${LIMITS.installerNoteLength} characters`,
  },
  key_kind_not_allowed: validation(
    'kind',
    'must be one of general, installer-contractor for a company of class SALES',
  ),
  installer_not_bindable: validation(
    'boundCompanyId',
    'must be an installer company that a job of this company is or was assigned to',
  ),
  key_limit_reached: {
    error: `a company can have at most ${KEY_LIMITS.keysInForce} API keys in force; revoke one first`,
  },
  rate_limited: {
    error: requestLimitReached(LIMITS.installerRequestsPerMinute, COUNTED_AS.installer, 3),
  },
  internal: {
    error:
      'the service failed; check whether it took effect, or retry with the same Idempotency-Key if the request had one',
  },
  not_implemented: { error: 'transfer-encoding: must be chunked; other codings are not supported' },
  unavailable: {
    error:
      'the service did not respond in time; the outcome is unknown; check whether it took effect, or retry with the same Idempotency-Key if the request had one',
  },
};
