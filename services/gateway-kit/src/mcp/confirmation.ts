import { createHmac, timingSafeEqual } from 'node:crypto';
import { invariant } from '@partner/kernel/process/invariant';
import { invalidArgument } from '@partner/kernel/process/validation';
import { sha256OfCanonicalJson } from '../http/canonical-json.js';
import type { ToolCaller } from './tool.js';

const VALID_MS = 10 * 60_000;

/**
 * Returns a text that confirms exactly this replay and what its preview has shown, for 10 minutes and for the caller's key. Nothing is stored: every replica can check it.
 *
 * It keeps an assistant from a replay that it has not previewed. It does not have to stop the holder of the key, who may replay
 * without a preview; so the key itself signs it.
 */
export function createConfirmation(caller: Pick<ToolCaller, 'request'>, replay: object, now: Date) {
  const expires = now.getTime() + VALID_MS;
  const confirmation = `${expires}.${signatureOf(caller, replay, expires)}`;
  return { confirmation, expiresAt: new Date(expires).toISOString() };
}

/** Throws `invalid_argument` unless the text confirms this replay. */
export function checkConfirmation(
  caller: Pick<ToolCaller, 'request'>,
  replay: object,
  { confirmation, now }: { readonly confirmation: string; readonly now: Date },
): void {
  const [, time = '', signature = ''] = /^(\d{1,15})\.([\w-]+)$/.exec(confirmation) ?? [];
  const expected = Buffer.from(signatureOf(caller, replay, Number(time)));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw refusal(
      'must be that of a preview with the same arguments, the same key and the same counts; preview this replay again',
    );
  if (Number(time) <= now.getTime()) throw refusal('has expired; preview the replay again');
}

function signatureOf({ request }: Pick<ToolCaller, 'request'>, replay: object, expires: number): string {
  const apiKey = request.header('x-api-key');
  invariant(apiKey, 'the caller has a key');
  return createHmac('sha256', apiKey)
    .update(`mcp-replay.${expires}.`)
    .update(sha256OfCanonicalJson(replay))
    .digest('base64url');
}

function refusal(message: string) {
  return invalidArgument([{ path: 'confirmation', message }]);
}
