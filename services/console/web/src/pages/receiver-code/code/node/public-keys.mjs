// receive.mjs
import { createPublicKey, verify } from 'node:crypto';

const TOLERANCE_SECONDS = 300;

// Read again after 5 minutes: before the service signs with a new key, the list has it for longer than that.
let keys = [];
let readAt = 0;
async function publicKeys() {
  if (Date.now() - readAt < 300_000) return keys;
  try {
    keys = await readKeys();
  } catch (error) {
    // The earlier keys stay. Without any, this delivery fails, and the service sends it again.
    if (keys.length === 0) throw error;
  }
  readAt = Date.now();
  return keys;
}

async function readKeys() {
  // The list of your webhook: …/.well-known/webhooks/whk_…
  const options = { redirect: 'error', signal: AbortSignal.timeout(3000) };
  const response = await fetch(process.env.WEBHOOK_KEYS_URL, options);
  if (!response.ok) throw new Error('the public keys cannot be read: ' + response.status);
  const list = (await response.json()).keys;
  if (list.length === 0) throw new Error('the list of public keys is empty');
  return list.map(({ publicKey }) => {
    const x = Buffer.from(publicKey.replace('whpk_', ''), 'base64').toString('base64url');
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  });
}

/** The status of the response. body: the raw bytes, a Buffer. */
export async function receive(headers, body, store) {
  // 1. One of the keys verifies one of the v1a signatures over the raw body.
  const eventId = headers['webhook-id'] ?? '';
  const timestamp = headers['webhook-timestamp'] ?? '';
  const signed = Buffer.concat([Buffer.from(eventId + '.' + timestamp + '.'), body]);
  const signatures = (headers['webhook-signature'] ?? '')
    .split(' ')
    .filter((signature) => signature.startsWith('v1a,'))
    .map((signature) => Buffer.from(signature.slice(4), 'base64'));
  const known = await publicKeys();
  if (!known.some((key) => signatures.some((signature) => verify(null, signed, key, signature)))) return 401;

  // 2. It is at most 300 seconds old.
  const ageSeconds = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(ageSeconds <= TOLERANCE_SECONDS)) return 401;

  // 3. The same event can come more than once: it is processed once, and acknowledged each time.
  if (await store.has(eventId)) return 204;

  // 4. Only now look into the body, and respond with 2xx only after it is stored.
  await store.add(eventId, JSON.parse(body.toString('utf8')));
  return 204;
}
