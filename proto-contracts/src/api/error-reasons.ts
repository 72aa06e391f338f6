export interface ErrorReasonEntry {
  readonly httpStatus: number;
  readonly meaning: string;
  /** What the caller should do (spec: Errors). */
  readonly action: string;
}

const FIX = 'Fix the request; do not repeat it unchanged.';

const REREAD = 'Read the resource again and send the request with its current version and a new key.';

const BACK_OFF =
  'Check whether the request took effect, or repeat it with backoff and, where it had one, the same Idempotency-Key.';

/** Every error of a request. The name is the `code` of the error body. */
export const ERROR_REASON_CATALOGUE = {
  invalid_argument: {
    httpStatus: 400,
    meaning: 'A header, parameter or field is missing or wrong; the message names it.',
    action: FIX,
  },
  body_too_complex: {
    httpStatus: 400,
    meaning:
      'The JSON of the body nests deeper than 64 levels, has more than 20,000 tokens (brackets, commas, colons, texts, numbers and literals), or came in more than 20,000 chunks.',
    action: FIX,
  },
  cursor_invalid: {
    httpStatus: 400,
    meaning:
      'The cursor was not issued to this company, was changed, or is so old that entries after it are no longer kept.',
    action:
      'Use a `nextCursor` unchanged, or start again: the change feed with `view=snapshot` or `from=start`, any other list without a cursor.',
  },
  unauthenticated: {
    httpStatus: 401,
    meaning: 'The credentials are missing, malformed, revoked, expired or of another surface or environment.',
    action: 'Check the header and the kind of the key.',
  },
  permission_denied: {
    httpStatus: 403,
    meaning:
      'The key lacks the scope, the client is outside its networks, the resource is outside its boundary, a console request has another origin, or a viewer wants to change something.',
    action: 'Use the right kind of key.',
  },
  confirmation_required: {
    httpStatus: 403,
    meaning: 'An operation that shows a secret needs a password that was confirmed in the last 15 minutes.',
    action:
      'Send the password to `POST /partner-api/session/confirm`, or confirm with the identity provider, then send the request again.',
  },
  password_wrong: {
    httpStatus: 403,
    meaning: 'The password is not that of the signed-in owner.',
    action: 'Ask for the password again.',
  },
  second_factor_required: {
    httpStatus: 403,
    meaning: 'The password is right, but the owner has a second factor: the login needs a code too.',
    action: 'Ask for a code and send the request again with it as `code`.',
  },
  second_factor_wrong: {
    httpStatus: 403,
    meaning: 'The code is wrong, or was already used.',
    action: 'Ask for the next code of the authenticator app, or for an unused recovery code.',
  },
  provider_sign_in_refused: {
    httpStatus: 403,
    meaning:
      'The sign-in with the identity provider is not valid, was not started in this browser, or belongs to no one with access to the console.',
    action: 'Start the sign-in again. If it fails again, follow the message.',
  },
  not_found: {
    httpStatus: 404,
    meaning: 'The path does not exist, or the resource is not visible to this key. A 404 does not say which.',
    action: 'Treat it like a 403.',
  },
  method_not_allowed: {
    httpStatus: 405,
    meaning: 'The path does not support this method; the header `allow` lists its methods.',
    action: FIX,
  },
  body_too_slow: {
    httpStatus: 408,
    meaning:
      'The body arrived too slowly: less than 32 KB in 10 seconds, and it did not end. Nothing was done.',
    action: 'Send the request again, with its body without delay.',
  },
  stale_version: {
    httpStatus: 409,
    meaning: '`expectedVersion` is not the version of the job; `currentVersion` is.',
    action: REREAD,
  },
  idempotency_mismatch: {
    httpStatus: 409,
    meaning: 'The idempotency key was used before for another operation or another body.',
    action: 'Use a new key for a new request.',
  },
  idempotency_in_progress: {
    httpStatus: 409,
    meaning: 'A request with the same idempotency key is still running.',
    action: 'Repeat the request with the same key a little later.',
  },
  test_delivery_required: {
    httpStatus: 409,
    meaning:
      'No test delivery to the current URL of the subscription has succeeded yet with a secret that its deliveries will have.',
    action:
      'Do what the message says, send a test delivery, and activate the subscription when it has arrived.',
  },
  subscription_limit_reached: {
    httpStatus: 409,
    meaning: 'The company has reached its limit of webhook subscriptions.',
    action: 'Change an existing subscription, or delete one and send the request again.',
  },
  secret_version_mismatch: {
    httpStatus: 409,
    meaning:
      'The operation cannot use this secret version. The message says which secret is active and which is pending.',
    action: 'Read the subscription again and send one of its versions.',
  },
  delivery_not_replayable: {
    httpStatus: 409,
    meaning: 'The delivery is neither delivered nor dead-lettered, or it is a test.',
    action: 'Wait until the delivery has finished. Do not replay a test: send a new one.',
  },
  delivery_not_waiting: {
    httpStatus: 409,
    meaning: 'The delivery is not waiting for a retry: it is in flight, held or finished.',
    action:
      'Read the delivery. Replay it if it is delivered or dead-lettered; activate the webhook if it is held.',
  },
  replay_in_progress: {
    httpStatus: 409,
    meaning: 'Such a replay is already running; the message names it.',
    action: 'Watch the replay that the message names; send the request again when it has finished.',
  },
  event_expired: {
    httpStatus: 409,
    meaning: 'The event is no longer kept, so there is nothing to send.',
    action: 'Read the current state of the resource instead.',
  },
  key_not_rotatable: {
    httpStatus: 409,
    meaning: 'The API key is no longer in force, or was already replaced.',
    action: 'Create a key, or replace the one that the message names.',
  },
  second_factor_enabled: {
    httpStatus: 409,
    meaning: 'The owner already has a second factor.',
    action: 'Disable it, and send the request again.',
  },
  last_owner: {
    httpStatus: 409,
    meaning: 'The person is the only owner of the company who can sign in.',
    action: 'Make someone else an owner, and send the request again once that person has a password.',
  },
  payload_too_large: {
    httpStatus: 413,
    meaning:
      'The body is larger than the operation accepts; the message names the limit. With an API key it is 1 MB.',
    action: FIX,
  },
  transition_not_allowed: {
    httpStatus: 422,
    meaning:
      'The status cannot be reached from `currentStatus`; `allowed` lists those that can. A closed job has none.',
    action: 'Read the message.',
  },
  schedule_invalid: {
    httpStatus: 422,
    meaning: 'The times do not fit the schedule: both are needed, and the end must be after the start.',
    action: 'Read the message.',
  },
  technician_not_assignable: {
    httpStatus: 422,
    meaning: 'A `membershipId` is not that of an active technician of the company.',
    action: 'List the technicians again and read the message.',
  },
  note_limit_reached: {
    httpStatus: 422,
    meaning: 'The notes of the job would be longer than 20,000 characters in total.',
    action: 'Read the message.',
  },
  key_kind_not_allowed: {
    httpStatus: 422,
    meaning: 'A company of this class cannot have API keys of this kind.',
    action: 'Create a key of a kind that the message names, if any.',
  },
  installer_not_bindable: {
    httpStatus: 422,
    meaning: 'The company is not an installer company that a job of this company is or was assigned to.',
    action: 'Use one of the list of installers.',
  },
  key_limit_reached: {
    httpStatus: 422,
    meaning: 'The company has reached its limit of API keys in force.',
    action: 'Revoke an unused key and send the request again.',
  },
  colleague_limit_reached: {
    httpStatus: 422,
    meaning: 'The company has reached its limit of people in the console.',
    action: 'Remove one and send the request again.',
  },
  rate_limited: {
    httpStatus: 429,
    meaning: 'More requests than the limit allows in 60 seconds.',
    action: 'Wait at least the `retry-after` seconds, with jitter.',
  },
  internal: {
    httpStatus: 500,
    meaning: 'The service has an internal error; whether the request took effect is unknown.',
    action: BACK_OFF,
  },
  not_implemented: {
    httpStatus: 501,
    meaning: 'The request uses a feature of HTTP that the service does not support; the message names it.',
    action: FIX,
  },
  unavailable: {
    httpStatus: 503,
    meaning:
      'The service did not respond in time, or has too much work of this caller in flight. The message says if nothing was done; otherwise the outcome is unknown.',
    action: BACK_OFF,
  },
} as const satisfies Record<string, ErrorReasonEntry>;

export type ErrorReason = keyof typeof ERROR_REASON_CATALOGUE;

/** Returns whether this version knows a reason. */
export function isErrorReason(text: string): text is ErrorReason {
  return Object.hasOwn(ERROR_REASON_CATALOGUE, text);
}
