import { createHmac, timingSafeEqual } from 'node:crypto';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { Webhook } from 'standardwebhooks';

/** The result of verifying a delivery, before its body is parsed. */
export type Verdict = { readonly verified: true } | { readonly verified: false; readonly problem: string };

/**
 * Verifies one delivery in the specification's order, over the raw bytes: the signature in constant time, then the
 * timestamp (spec: Receiver verification order); then the Standard Webhooks signature with its stock verifier. `secret`
 * is the secret of the version in `x-svc-secret-version`.
 */
export function verifyDelivery(delivery: {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly secret: string;
  readonly now: Date;
}): Verdict {
  const { headers, body, secret } = delivery;
  const timestamp = headers['x-svc-timestamp'] ?? '';
  const expected = `v1=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;
  if (!isSame(headers['x-svc-signature'] ?? '', expected)) {
    return { verified: false, problem: 'x-svc-signature does not match' };
  }
  const ageSeconds = delivery.now.getTime() / 1000 - Number(timestamp);
  if (!(Math.abs(ageSeconds) <= LIMITS.webhookTimestampToleranceSeconds)) {
    return { verified: false, problem: 'x-svc-timestamp is more than 300 seconds away' };
  }
  try {
    new Webhook(secret).verify(body, headers, { jsonParse: false });
    return { verified: true };
  } catch (error) {
    return {
      verified: false,
      problem: `webhook-signature: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

function isSame(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}
