import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { isId, newId } from '../process/ids.js';

export type Environment = 'sandbox' | 'production';

const SECRET_PREFIXES: Readonly<Record<Environment, string>> = {
  sandbox: 'svc_test_',
  production: 'svc_live_',
};
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

export interface ParsedApiKey {
  readonly keyId: string;
  /** SHA-256, 32 bytes. */
  readonly secretSha256: Buffer;
}

/** A new key: the text to show once, and the record to store. */
export interface NewApiKey extends ParsedApiKey {
  /** `<keyId>.<secret>`, the value of `x-api-key`. */
  readonly text: string;
  readonly lastFour: string;
}

/**
 * Creates a key: `key_…`, a dot, the environment's prefix, 32 random base62 characters (190 bits) and 6 characters of
 * CRC-32 over the secret before them. Randomness can be passed in, so that the sandbox's keys are stable.
 */
export function createApiKey(
  environment: Environment,
  given: { readonly keyId?: string; readonly random?: Uint8Array } = {},
): NewApiKey {
  const keyId = given.keyId ?? newId('key');
  const body = SECRET_PREFIXES[environment] + base62(given.random ?? randomBytes(64), RANDOM_LENGTH);
  const secret = body + checksum(body);
  return {
    text: `${keyId}.${secret}`,
    keyId,
    secretSha256: createHash('sha256').update(secret).digest(),
    lastFour: secret.slice(-4),
  };
}

/**
 * Parses the value of `x-api-key` (spec: Authentication 1, 2). Returns undefined for a wrong form, prefix, length or
 * checksum, so that no lookup is needed.
 */
export function parseApiKey(text: string, environment: Environment): ParsedApiKey | undefined {
  const dot = text.indexOf('.');
  const keyId = text.slice(0, Math.max(dot, 0));
  const secret = text.slice(dot + 1);
  const prefix = SECRET_PREFIXES[environment];
  if (!isId('key', keyId)) return undefined;
  if (secret.length !== prefix.length + RANDOM_LENGTH + CHECKSUM_LENGTH) return undefined;
  if (!secret.startsWith(prefix) || !/^[0-9A-Za-z]+$/.test(secret.slice(prefix.length))) return undefined;
  const body = secret.slice(0, -CHECKSUM_LENGTH);
  if (checksum(body) !== secret.slice(-CHECKSUM_LENGTH)) return undefined;
  return { keyId, secretSha256: createHash('sha256').update(secret).digest() };
}

/**
 * Describes why {@link parseApiKey} refuses a value of `x-api-key`. The value may hold a secret and is never repeated.
 */
export function apiKeyViolation(text: string | undefined, environment: Environment): string {
  if (text === undefined || text === '')
    return 'is required; send <keyId>.<secret>, as shown when the key was created';
  const [keyId = '', secret = '', ...rest] = text.split('.');
  if (rest.length > 0 || !isId('key', keyId)) {
    return 'must be one key of the form <keyId>.<secret>, where <keyId> begins with key_';
  }
  const other = environment === 'sandbox' ? 'production' : 'sandbox';
  if (secret.startsWith(SECRET_PREFIXES[other])) {
    return `is a key of the ${other} (${SECRET_PREFIXES[other]}), but this is the ${environment}; use a key whose secret begins with ${SECRET_PREFIXES[environment]}`;
  }
  if (!secret.startsWith(SECRET_PREFIXES[environment])) {
    return `must have a secret after the dot that begins with ${SECRET_PREFIXES[environment]}`;
  }
  return 'has a secret that is incomplete or changed: its length or checksum is wrong; copy the whole key';
}

function base62(random: Uint8Array, length: number): string {
  let text = '';
  // 248 is the largest multiple of 62 in a byte. Values from there on would favour the first characters.
  for (const byte of random) {
    if (text.length === length) break;
    if (byte < 248) text += BASE62.charAt(byte % 62);
  }
  return text.length === length ? text : text + base62(randomBytes(64), length - text.length);
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  while (text.length < CHECKSUM_LENGTH) {
    text = BASE62.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
