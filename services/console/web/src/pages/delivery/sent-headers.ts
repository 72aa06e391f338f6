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
