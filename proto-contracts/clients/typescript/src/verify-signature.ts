/** What a delivery is verified with. */
export interface Verification {
  /** `whsec_…`. During a rotation the current and the pending one. */
  readonly secrets: readonly string[];
  /** How far the time of signing may be off, in seconds. */
  readonly toleranceSeconds: number;
  /** The present time, in milliseconds. */
  readonly now: number;
}

/** Reads a header by its name in lower case. */
export type ReadHeader = (name: string) => string | undefined;

/**
 * Verifies a delivery over its raw body. Returns the reason of a refusal, or undefined for a genuine one. Each of the two signature
 * forms that is present must be made with one of the secrets, and at least one is. Web Crypto compares in constant time.
 */
export async function refusalOf(
  header: ReadHeader,
  body: Uint8Array<ArrayBuffer>,
  { secrets, toleranceSeconds, now }: Verification,
): Promise<string | undefined> {
  const timestamp = header('x-svc-timestamp') ?? header('webhook-timestamp') ?? '';
  const standardTimestamp = header('webhook-timestamp') ?? timestamp;
  const own = header('x-svc-signature');
  const standard = header('webhook-signature');
  if (own === undefined && standard === undefined) return 'the signature is missing';
  const forms = [
    ...(own === undefined
      ? []
      : [{ signatures: [hexBytes(own)], content: signedContent(`${timestamp}.`, body), keyOf: encode }]),
    ...(standard === undefined
      ? []
      : [
          {
            signatures: standard.split(' ').map(base64Bytes),
            content: signedContent(`${header('webhook-id') ?? ''}.${standardTimestamp}.`, body),
            keyOf: (secret: string) => base64(secret.replace(/^whsec_/, '')),
          },
        ]),
  ];
  for (const { signatures, content, keyOf } of forms) {
    const given = signatures.filter((signature) => signature !== undefined);
    const results = await Promise.all(
      secrets.flatMap((secret) => given.map((signature) => isSigned(keyOf(secret), signature, content))),
    );
    if (!results.includes(true)) return 'the signature matches none of the secrets';
  }
  const isInTime = (text: string) =>
    /^\d+$/.test(text) && Math.abs(now / 1_000 - Number(text)) <= toleranceSeconds;
  return isInTime(timestamp) && isInTime(standardTimestamp)
    ? undefined
    : `the timestamp is missing or more than ${toleranceSeconds} seconds off`;
}

/** The secret of what the events feed returns: it is signed with your API key. */
export function eventFeedSecret(apiKey: string): string {
  return `whsec_${btoa(apiKey)}`;
}

async function isSigned(
  keyBytes: Uint8Array<ArrayBuffer> | undefined,
  signature: Uint8Array<ArrayBuffer>,
  content: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  if (keyBytes === undefined || keyBytes.length === 0) return false;
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey('raw', keyBytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  return subtle.verify('HMAC', key, signature, content);
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

/** The bytes of `v1,` and base64. Other versions of a signature are not of this form. */
function base64Bytes(signature: string): Uint8Array<ArrayBuffer> | undefined {
  return signature.startsWith('v1,') ? base64(signature.slice(3)) : undefined;
}

function base64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
