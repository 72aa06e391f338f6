import { requireVisible } from './require-visible.js';

/** An Ed25519 key of Web Crypto. */
export type PublicKey = Awaited<ReturnType<typeof globalThis.crypto.subtle.importKey>>;

/** What a delivery is verified with. */
export interface Verification {
  /** `whsec_…`. During a rotation the current and the pending one. */
  readonly secrets: readonly string[];
  /** Those of the webhook, one of which may have signed in place of a secret. */
  readonly publicKeys?: readonly PublicKey[];
  /** Maximum difference between the time of signing and now, in seconds. */
  readonly toleranceSeconds: number;
  /** The present time, in milliseconds. */
  readonly now: number;
}

const MISMATCH = 'the signature matches none of the secrets and public keys';

/** The service makes one. Anyone can send many. */
const MAX_ASYMMETRIC = 4;

/** A body beyond this is not parsed to explain a refusal: anyone can send it, and a webhook is seldom larger. */
const MAX_EXPLAINED_BYTES = 65_536;

/** Reads a header by its name in lower case. */
export type ReadHeader = (name: string) => string | undefined;

/**
 * Verifies a delivery over its raw body, in constant time. Returns the reason of a refusal, or undefined for a genuine one. Each of the two signature
 * forms that is present must be made with one of the secrets, and at least one is. In the form of Standard Webhooks a public key counts as a
 * secret; without secrets it is the only form.
 */
export async function refusalOf(
  header: ReadHeader,
  body: Uint8Array<ArrayBuffer>,
  { secrets, publicKeys = [], toleranceSeconds, now }: Verification,
): Promise<string | undefined> {
  const timestamp = header('x-svc-timestamp') ?? header('webhook-timestamp') ?? '';
  const standardTimestamp = header('webhook-timestamp') ?? timestamp;
  const own = secrets.length === 0 ? undefined : header('x-svc-signature');
  const standard = header('webhook-signature');
  if (own === undefined && standard === undefined) return 'the signature is missing';
  const forms = [
    ...(own === undefined
      ? []
      : [
          {
            signatures: [hexBytes(own)],
            content: signedContent(`${timestamp}.`, body),
            keyOf: encode,
            publicKeys: [],
          },
        ]),
    ...(standard === undefined
      ? []
      : [
          {
            signatures: standard.split(' ').map((signature) => base64After('v1,', signature)),
            publicKeys,
            content: signedContent(`${header('webhook-id') ?? ''}.${standardTimestamp}.`, body),
            keyOf: (secret: string) => base64(secret.replace(/^whsec_/, '')),
          },
        ]),
  ];
  const asymmetric = (standard ?? '')
    .split(' ')
    .map((signature) => base64After('v1a,', signature))
    .filter((signature) => signature !== undefined)
    .slice(0, MAX_ASYMMETRIC);
  for (const { signatures, content, keyOf, publicKeys: keys } of forms) {
    const given = signatures.filter((signature) => signature !== undefined);
    const isSigned = await Promise.all([
      ...secrets.map(async (secret) => hasMatch(given, await digest(keyOf(secret), content))),
      ...keys.flatMap((key) =>
        asymmetric.map((signature) => globalThis.crypto.subtle.verify('Ed25519', key, signature, content)),
      ),
    ]);
    if (!isSigned.includes(true)) return MISMATCH;
  }
  const isInTime = (text: string) =>
    /^\d+$/.test(text) && Math.abs(now / 1_000 - Number(text)) <= toleranceSeconds;
  return isInTime(timestamp) && isInTime(standardTimestamp)
    ? undefined
    : `the timestamp is missing or more than ${toleranceSeconds} seconds off`;
}

/**
 * Returns the reason of a refusal as {@link refusalOf} does, and names the most frequent mistake: the signature fits the body as the
 * service writes it, so the caller has parsed the body and written it again.
 */
export async function explainedRefusal(
  header: ReadHeader,
  body: Uint8Array<ArrayBuffer>,
  verification: Verification,
): Promise<string | undefined> {
  const refusal = await refusalOf(header, body, verification);
  if (refusal !== MISMATCH || body.length > MAX_EXPLAINED_BYTES) return refusal;
  const written = writtenAgain(body);
  if (written === undefined || (await refusalOf(header, written, verification)) === MISMATCH) return refusal;
  return `${MISMATCH}, but fits the body as it was sent: the body was parsed and written again before it was verified; pass the raw bytes of the request`;
}

/** The body in the notation of the service: compact JSON. */
function writtenAgain(body: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  try {
    return encode(JSON.stringify(JSON.parse(new TextDecoder().decode(body))));
  } catch {
    return undefined;
  }
}

/** The secret of what the events feed returns: it is signed with your API key. */
export function eventFeedSecret(apiKey: string): string {
  requireVisible('apiKey', apiKey);
  return `whsec_${btoa(apiKey)}`;
}

/** Undefined without a key. */
async function digest(
  keyBytes: Uint8Array<ArrayBuffer> | undefined,
  content: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array | undefined> {
  if (keyBytes === undefined || keyBytes.length === 0) return undefined;
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey('raw', keyBytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return new Uint8Array(await subtle.sign('HMAC', key, content));
}

/** Compares every signature in constant time, over one digest however many there are. */
function hasMatch(given: readonly Uint8Array[], expected: Uint8Array | undefined): boolean {
  if (expected === undefined) return false;
  const differences = given.map((signature) =>
    signature.length === expected.length
      ? expected.reduce((difference, byte, index) => difference | (byte ^ (signature[index] ?? 0)), 0)
      : 1,
  );
  return differences.includes(0);
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}

function signedContent(prefix: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const start = encode(prefix);
  const content = new Uint8Array(start.length + body.length);
  content.set(start);
  content.set(body, start.length);
  return content;
}

/** The bytes of `v1=` and hex. */
function hexBytes(signature: string): Uint8Array<ArrayBuffer> | undefined {
  const [, hex] = /^v1=((?:[0-9a-f]{2})+)$/.exec(signature) ?? [];
  return hex === undefined
    ? undefined
    : Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

/** The bytes of a version and base64. Other versions of a signature are not of this form. */
function base64After(version: string, signature: string): Uint8Array<ArrayBuffer> | undefined {
  return signature.startsWith(version) ? base64(signature.slice(version.length)) : undefined;
}

export function base64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
