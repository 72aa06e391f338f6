import { LIMITS } from '../api/limits.js';
import { EVENT_CATALOGUE } from '../resources/event-catalogue/catalogue.js';
import { markdownTable } from './markdown-table.js';

/** The guide's parts about webhooks, in Markdown: how to receive and verify them, and every event. */
export function webhookGuide(): string {
  return [receivingAndVerifying(), eventCatalogue()].join('\n\n');
}

function receivingAndVerifying(): string {
  const waits = Array.from({ length: LIMITS.webhookAttempts - 1 }, (_, attempt) =>
    Math.min(2 ** attempt, LIMITS.webhookBackoffCapMs / 60_000),
  );
  const tolerance = LIMITS.webhookTimestampToleranceSeconds;
  return `
## Receiving webhooks

An owner creates a subscription in the console, with an HTTPS URL on port 443 and the events that it wants. It starts paused:
send a test delivery, respond to it with 2xx, activate the subscription.

Each event is a POST of its envelope to that URL. **Respond with 2xx within ${LIMITS.webhookTimeoutMs / 1_000} seconds, and only once the event is stored
safely**; do the work afterwards. Anything else, redirects included, is a failed attempt. A failed attempt is retried after
${waits.join(', ')} minutes, each up to a tenth longer; your \`retry-after\` with a 429 or 503 can make the delay longer, up to
${LIMITS.webhookBackoffCapMs / 3_600_000} hours. After the ${LIMITS.webhookAttempts}th failure the delivery is dead-lettered and the subscription's \`health\` is \`degraded\`; the
delivery stays visible to the owner. Your programs read, retry and replay deliveries with a key of kind \`automation\`.

Each delivery has its own schedule; the backoff counts from the end of its latest attempt. A limited number of requests is in
flight to one subscription at a time: its slots, 10 by default. An attempt that is due while all slots are in use starts as soon
as one is free. A fast response, even an error, frees a slot immediately; a request that hangs holds it for
${LIMITS.webhookTimeoutMs / 1_000} seconds, so 200 deliveries to a server that hangs take about 200 seconds for each round of attempts. While very many
endpoints fail, their attempts can start later. \`nextAttemptAt\` of a delivery is the time of its next attempt; a time in the past means that
the attempt waits for a free slot.

- **The same event can arrive more than once.** Its \`id\` and body are the same each time; \`x-svc-delivery-id\`, the timestamp
  and the signature are new. Process an \`id\` once, and respond with 2xx to every repeat.
- **Events can arrive in another order.** Order the events of one resource by \`occurredAt\` and \`resource.version\`, and ignore
  those older than your state. Or set \`ordered\` of the webhook: then the next event about a resource is sent only after the one before it was delivered or
  dead-lettered, and each that fails holds the others for more than two hours.
- **To make sure that you missed nothing**, compare \`x-svc-number\`, which counts the events of the webhook without gaps, with the webhook's
  signed manifest of a time span, e.g. once an hour, and replay the events that you are missing by their ids.
- **What changed.** In events about jobs, projects and appointments, \`changed\` lists the fields of the resource that differ from the version before, such
  as \`schedule.startsAt\`. All are listed if your company did not have the version before.
  Set \`fields\` of the webhook, or of the request that reads events, to get only those of which one of your fields changed. Events without \`changed\` still come.
- To write back, send \`resource.version\` as \`expectedVersion\`.
- Ignore unknown events and fields.

## Verifying a webhook

Over the raw bytes of the body, before you parse it:

1. Take the secret of the version that \`x-svc-secret-version\` names. Its key is the whole text, \`whsec_\` included, as UTF-8.
2. Compute HMAC-SHA256 over \`x-svc-timestamp\`, a dot, and the raw body. Compare \`v1=\` and its lower-case hex with
   \`x-svc-signature\`, in constant time.
3. Refuse a timestamp that is more than ${tolerance} seconds away from your clock.
4. Drop an event whose \`id\` you have processed, and respond with 2xx.
5. Now parse the body.

\`\`\`js
import { createHmac, timingSafeEqual } from 'node:crypto';

// body: the raw bytes as they came; secrets: a Map of each version, as a text, to its secret
export function isFromService(headers, body, secrets) {
  const timestamp = headers['x-svc-timestamp'] ?? '';
  const secret = secrets.get(headers['x-svc-secret-version']);
  if (secret === undefined) return false;
  const expected = Buffer.from(
    'v1=' + createHmac('sha256', secret).update(timestamp + '.').update(body).digest('hex'),
  );
  const given = Buffer.from(headers['x-svc-signature'] ?? '');
  return (
    given.length === expected.length &&
    timingSafeEqual(given, expected) &&
    Math.abs(Date.now() / 1000 - Number(timestamp)) <= ${tolerance}
  );
}
\`\`\`

Every delivery also carries the headers of [Standard Webhooks](https://www.standardwebhooks.com), \`webhook-id\`,
\`webhook-timestamp\` and \`webhook-signature\`, so that its libraries verify it with the same secret.

**Without a secret.** With \`asymmetricSignature\` of the subscription, \`webhook-signature\` has one more signature after a space: \`v1a,\` and the base64 of
Ed25519 over \`webhook-id\`, a dot, \`webhook-timestamp\`, a dot and the raw body. The public keys of the subscription are at
\`/.well-known/webhooks/{id}\`: \`whpk_\` and the base64 of 32 bytes. Accept a delivery if one of them verifies the signature; refuse an old timestamp as
above. Accept the keys of your subscription only, and read the list again after 5 minutes: a new key is in it before it signs.

**Rotating the secret.** A rotation creates a pending secret with the next version; deliveries stay signed with the current one.
Load the new secret under its version, then activate it: new deliveries are signed with it. Keep the old one for a while, for
deliveries in flight.`.trim();
}

function eventCatalogue(): string {
  const emitted = new Set<string>(Object.keys(EVENT_CATALOGUE));
  const rows = Object.entries(EVENT_CATALOGUE).map(([name, { meaning, classes }]) => [
    `\`${name}\``,
    meaning,
    classes.map((companyClass) => companyClass.toLowerCase()).join(', '),
    emitted.has(name) ? 'yes' : 'not yet',
  ]);
  return `
## Event catalogue

A subscription names events, or groups of them such as \`install.*\`. Which ones it may name depends on the class of the company.
The journal never carries contact details of customers. The payload of each event that is sent today is described under
Webhooks.

${markdownTable(['Event', 'When', 'For companies of class', 'Sent today'], rows)}`.trim();
}
