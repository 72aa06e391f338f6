import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import type { KnownSecret } from './known-secrets.js';

/** Tells a running receiver a signing secret; it verifies with it from then on. Rejects when the receiver refuses it. */
export async function registerSecret(
  receiver: { readonly controlUrl: string; readonly caFile: string },
  secret: KnownSecret,
): Promise<void> {
  const body = JSON.stringify(secret);
  const status = await new Promise<number>((resolve, reject) => {
    const sent = request(
      receiver.controlUrl,
      {
        method: 'POST',
        ca: readFileSync(receiver.caFile),
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        timeout: 10_000,
        agent: false,
      },
      (answer) => {
        answer.resume();
        answer.once('end', () => resolve(answer.statusCode ?? 0));
      },
    );
    sent.once('timeout', () => sent.destroy(new Error('the receiver does not respond')));
    sent.once('error', reject);
    sent.end(body);
  });
  if (status !== 200) throw new Error(`the receiver refuses the secret: ${status}`);
}
