// receive.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_SECONDS = 300;

/** The status of the response. body: the raw bytes, a Buffer. */
export async function receive(headers, body, store) {
  // The secret of the version that signed it. While you rotate, two are set: WEBHOOK_SECRET_1 and WEBHOOK_SECRET_2.
  const secret = process.env['WEBHOOK_SECRET_' + headers['x-svc-secret-version']];
  if (!secret) return 401;

  // 1. The signature over the raw body, compared in constant time. The key is the whole secret, whsec_ included.
  const timestamp = headers['x-svc-timestamp'] ?? '';
  const expected = Buffer.from(
    'v1=' + createHmac('sha256', secret).update(timestamp + '.').update(body).digest('hex'),
  );
  const given = Buffer.from(headers['x-svc-signature'] ?? '');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 401;

  // 2. It is at most 300 seconds old.
  const ageSeconds = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(ageSeconds <= TOLERANCE_SECONDS)) return 401;

  // 3. Only now look into the body. The signature covers its id, but not the header.
  const eventId = headers['webhook-id'];
  const event = JSON.parse(body.toString('utf8'));
  if (event.id !== eventId) return 400;

  // 4. The same event can come more than once: it is processed once, and acknowledged each time.
  if (await store.has(eventId)) return 204;

  // 5. Respond with 2xx only after it is stored.
  await store.add(eventId, event);
  return 204;
}
