import type { Delivery } from './api/hooks.js';

/** Quotes any text as one shell word. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * Returns a shell script that sends a delivery's body to its receiver with new signatures of both kinds. It reads the secret from
 * `WEBHOOK_SECRET`.
 */
export function curlScript(sent: {
  readonly delivery: Pick<Delivery, 'event' | 'eventId' | 'isTest'>;
  /** The id that the receiver sees. */
  readonly deliveryId: string;
  readonly body: string;
  readonly url: string;
  readonly secretVersion: number;
}): string {
  const { delivery, deliveryId, body, url, secretVersion } = sent;
  return `# First: export WEBHOOK_SECRET='whsec_…'
BODY=${shellWord(body)}
NOW=$(date +%s)
SIGNATURE=$(printf '%s.%s' "$NOW" "$BODY" | openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" -r | cut -d ' ' -f 1)
KEY=$(printf '%s' "\${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')
STANDARD=$(printf '%s.%s.%s' ${shellWord(delivery.eventId)} "$NOW" "$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | openssl base64 -A)
printf '%s' "$BODY" | curl ${shellWord(url)} --include --max-time 10 \\
  --header 'content-type: application/json' \\
  --header ${shellWord(`x-svc-event: ${delivery.event}`)} \\${delivery.isTest ? "\n  --header 'x-svc-test: true' \\" : ''}
  --header ${shellWord(`x-svc-delivery-id: ${deliveryId}`)} \\
  --header "x-svc-timestamp: $NOW" \\
  --header 'x-svc-secret-version: ${secretVersion}' \\
  --header "x-svc-signature: v1=$SIGNATURE" \\
  --header ${shellWord(`webhook-id: ${delivery.eventId}`)} \\
  --header "webhook-timestamp: $NOW" \\
  --header "webhook-signature: v1,$STANDARD" \\
  --data-binary @-`;
}
