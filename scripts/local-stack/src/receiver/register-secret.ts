import { readFileSync } from 'node:fs';
import { httpStatus } from './http-status.js';
import type { KnownSecret } from './known-secrets.js';

/** Registers a signing secret with a running receiver. Rejects if the receiver refuses it. */
export async function registerSecret(
  receiver: { readonly controlUrl: string; readonly caFile: string },
  secret: KnownSecret,
): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const options = { method: 'POST', ca: readFileSync(receiver.caFile), headers };
  const status = await httpStatus(receiver.controlUrl, options, JSON.stringify(secret));
  if (status !== 200) throw new Error(`the receiver refuses the secret: ${status}`);
}
