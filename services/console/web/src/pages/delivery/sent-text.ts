import type { Attempt, Delivery } from '../../api/hooks.js';

/** Placeholder for a value that is not stored. */
const NOT_KEPT = '(not stored)';

/** Reconstructs the headers of an attempt. Signatures are not stored. */
export function sentHeaders(sent: {
  readonly delivery: Pick<Delivery, 'event' | 'eventId' | 'isTest'>;
  readonly attempt: Pick<Attempt, 'deliveryId' | 'startedAt' | 'secretVersion'>;
  readonly body: string | null;
  /** The subscription's current URL, if it still exists. */
  readonly url: string | undefined;
}): readonly (readonly [name: string, value: string])[] {
  const { delivery, attempt, body, url } = sent;
  const timestamp = String(Math.floor(Date.parse(attempt.startedAt) / 1_000));
  return [
    ...(url === undefined ? [] : [['host', new URL(url).host] as const]),
    ['content-type', 'application/json'],
    ['user-agent', 'partner-integration-service-webhooks/1.0'],
    ['x-svc-event', delivery.event],
    ...(delivery.isTest ? [['x-svc-test', 'true'] as const] : []),
    ['x-svc-delivery-id', attempt.deliveryId],
    ['x-svc-timestamp', timestamp],
    ['x-svc-secret-version', String(attempt.secretVersion)],
    ['x-svc-signature', `v1=${NOT_KEPT}`],
    ['webhook-id', delivery.eventId],
    ['webhook-timestamp', timestamp],
    ['webhook-signature', `v1,${NOT_KEPT}`],
    ...(body === null
      ? []
      : [['content-length', String(new TextEncoder().encode(body).byteLength)] as const]),
  ];
}

/** A body prepared for display. */
type ReadText =
  | { readonly kind: 'empty' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'json'; readonly text: string; readonly pretty: string }
  | { readonly kind: 'binary'; readonly text: string };

/** Detects the kind of a body. Invalid UTF-8 was replaced by U+FFFD, so a body with that or with control characters counts as binary. */
export function readText(body: string): ReadText {
  if (body === '') return { kind: 'empty' };
  // A response that was cut within a character ends with U+FFFD.
  const kept = body.replace(/\uFFFD{1,3}$/, '');
  if (isBinary(kept)) return { kind: 'binary', text: escapeOdd(body) };
  const pretty = prettyJson(body);
  return pretty === undefined ? { kind: 'text', text: body } : { kind: 'json', text: body, pretty };
}

function isBinary(text: string): boolean {
  return /[\uFFFD\p{Cc}]/u.test(text.replace(/[\t\n\r\f]/g, ''));
}

/** Replaces every invisible character by a visible one. */
function escapeOdd(text: string): string {
  return text.replace(/[\uFFFD\p{Cc}]/gu, (character) => (character === '\n' ? '\n' : '·'));
}

function prettyJson(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : undefined;
  } catch {
    return undefined;
  }
}
