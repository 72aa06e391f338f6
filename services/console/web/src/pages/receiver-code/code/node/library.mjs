// receive.mjs
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

/** The status of the response. body: the raw bytes, a Buffer. */
export async function receive(headers, body, store) {
  // The secret of the version that signed it. While you rotate, two are set: WEBHOOK_SECRET_1 and WEBHOOK_SECRET_2.
  const secret = process.env['WEBHOOK_SECRET_' + headers['x-svc-secret-version']];
  if (!secret) return 401;

  // The signature over the raw body, compared in constant time, and that it is at most 300 seconds old.
  try {
    new Webhook(secret).verify(body, headers, { jsonParse: false });
  } catch (error) {
    if (error instanceof WebhookVerificationError) return 401;
    throw error;
  }

  // The same event can come more than once: it is processed once, and acknowledged each time.
  const eventId = headers['webhook-id'];
  if (await store.has(eventId)) return 204;

  // Only now look into the body, and respond with 2xx only after it is stored.
  await store.add(eventId, JSON.parse(body.toString('utf8')));
  return 204;
}
