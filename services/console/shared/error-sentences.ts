import { counted } from '@partner/proto-contracts/api/counted';

const WRONG_LINK = 'This link no longer works. It was used, replaced, or has expired.';
const AWAY = 'Your identity provider isn’t responding. Retry in a minute, or use your password.';
const NO_ACCESS = 'You have no access to the console. Ask an owner of your company to invite you.';

/** What an error means to an owner, by its code; before that by operation and code, where the operation makes it mean something else. */
const SENTENCES: Readonly<Record<string, string>> = {
  'createSession unauthenticated': 'The email address or the password is wrong.',
  'createSession permission_denied': NO_ACCESS,
  'completeProviderSignIn permission_denied': NO_ACCESS,
  'beginProviderSignIn unavailable': AWAY,
  'completeProviderSignIn unavailable': AWAY,
  'confirmTechnicalContact not_found': `${WRONG_LINK} Ask an owner of your company for a new one.`,
  'readPasswordLink not_found': `${WRONG_LINK} Request a new one.`,
  'usePasswordLink not_found': `${WRONG_LINK} Request a new one.`,
  'requestPasswordLink not_found': 'This service can’t send emails. Ask its operator for a password.',
  'confirmWebhookProposal stale_version':
    'This changed while you were reading. Check it again, then confirm.',
  'addColleague unavailable': 'We couldn’t send the invitation. Invite the person again in a minute.',
  'setTechnicalContact unavailable': 'We couldn’t send the link. Retry in a minute.',

  colleague_limit_reached: 'Your company has reached its maximum number of people. Remove someone first.',
  confirmation_required: 'Confirm that it’s you to continue.',
  cursor_invalid: 'The list has changed. Reload the page.',
  delivery_not_replayable: 'Only a finished delivery can be replayed, and tests can’t be.',
  delivery_not_waiting: 'This delivery is no longer waiting for a retry.',
  event_expired: 'The event is no longer stored, so it can’t be sent again.',
  installer_not_bindable: 'None of your jobs was ever assigned to this company. Choose another one.',
  internal: 'Something went wrong on our side. Check whether your change was saved before you retry.',
  invalid_argument: 'Check what you entered, then retry.',
  key_kind_not_allowed: 'Your company can’t have API keys of this kind.',
  key_limit_reached: 'Your company has reached its maximum number of API keys. Revoke one first.',
  key_not_rotatable: 'This API key has expired, was revoked, or was already replaced.',
  last_owner: 'Your company needs an owner who can sign in. Make someone else an owner first.',
  no_response: 'We can’t reach the service. Check your connection, then retry.',
  not_found: 'This doesn’t exist or was deleted.',
  not_understood: 'The service sent a response that this page can’t read. Reload the page.',
  password_wrong: 'The password is wrong.',
  payload_too_large: 'This is too large to send.',
  permission_denied: 'You need the owner role to change this.',
  rate_limited: 'Too many attempts.',
  replay_in_progress: 'A replay is already in progress. Wait until it has finished.',
  second_factor_enabled: 'Two-factor authentication is already on.',
  second_factor_required: 'Enter the code from your authenticator app, or a recovery code.',
  second_factor_wrong: 'This code is wrong or was already used. Enter the next code, or a recovery code.',
  secret_version_mismatch: 'The webhook’s secret has changed. Reload the page, then retry.',
  stale_version: 'Someone else has changed this. Reload the page, then retry.',
  subscription_limit_reached: 'Your company has reached its maximum number of webhooks. Delete one first.',
  test_delivery_required: 'Your server must first accept a test signed with the current secret.',
  unauthenticated: 'Your session has ended. Sign in again.',
  unavailable: 'We can’t reach the service right now. Retry in a minute.',
};

/** Returns the console's sentence for an error of an operation. */
export function errorSentence(operation: string, code: string): string {
  return (
    SENTENCES[`${operation} ${code}`] ?? SENTENCES[code] ?? 'This didn’t work. Reload the page, then retry.'
  );
}

/** When an owner can retry what was limited, of the response's `retry-after` in seconds. */
export function retrySentence(seconds: number): string {
  if (!(seconds > 0)) return 'Retry in a minute.';
  return `Retry in ${seconds < 100 ? counted(seconds, 'second') : counted(Math.ceil(seconds / 60), 'minute')}.`;
}

/** Returns the API's text for "Details", without what only the author of a client can do. */
export function textForDetails(text: string): string {
  const parts = text.replaceAll('`', '').split('; ');
  return parts
    .filter((part) => !/idempotency.key|\/partner-api\/|partnerctl|partner-client/i.test(part))
    .join('; ');
}

/** What the console reads of an error of the API. */
export interface SentError {
  readonly code: string;
  readonly error: string;
  readonly requestId?: string | undefined;
  readonly details?: readonly { readonly path: string; readonly message: string }[] | undefined;
}

/** The service writes for the person who signs in with a provider; the violations say what to enter. */
export function sentenceOfError(
  operation: string,
  { code, error, details = [] }: SentError,
  retryAfter: string | null = null,
): string {
  if (code === 'rate_limited')
    return `${errorSentence(operation, code)} ${retrySentence(Number(retryAfter))}`;
  if (code === 'provider_sign_in_refused') return sentenceOf(error, '');
  if (details.length === 0) return errorSentence(operation, code);
  return details.map(({ path, message }) => sentenceOf(message, subjectOf(path))).join(' ');
}

/** Converts a reason of the API to a sentence: `must use port 443` of `The address` becomes `The address must use port 443.` */
export function sentenceOf(reason: string, subject: string): string {
  const rule = textForDetails(reason);
  const text = /^(must|is|has|can|leads) /.test(rule) ? `${subject} ${rule}` : rule;
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

const SUBJECTS: Readonly<Record<string, string>> = {
  url: 'The URL',
  email: 'The email address',
  displayName: 'The name',
};

/** Returns what a sentence about a field begins with: `New password` for `body.newPassword`. */
export function subjectOf(path: string): string {
  const name = path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? '';
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return SUBJECTS[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
