import { RESPONSE_HEADER_LIMITS } from '@partner/proto-contracts/resources/attempt/attempt';

/** A header of a response; the name is in lower case. */
export interface RecordedHeader {
  readonly name: string;
  readonly value: string;
}

const NEVER_RECORDED: ReadonlySet<string> = new Set([
  'authentication-info',
  'authorization',
  'cookie',
  'proxy-authentication-info',
  'proxy-authorization',
  'set-cookie',
  'set-cookie2',
  'x-api-key',
  'x-auth-token',
  'x-csrf-token',
  'x-xsrf-token',
]);

/**
 * Returns the headers of a response to record, from Node's `rawHeaders`.
 *
 * They are in the order of the response, within the limits of the attempt's schema: one that no longer fits is omitted. Cookies
 * and credentials are removed.
 */
export function recordedHeaders(rawHeaders: readonly string[]): readonly RecordedHeader[] {
  const recorded: RecordedHeader[] = [];
  let bytes = 0;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at]?.toLowerCase(), rawHeaders[at + 1]];
    if (NEVER_RECORDED.has(name)) continue;
    // A header is at most 16 KiB, so the values are short enough to count before they are dropped.
    const size = Buffer.byteLength(name) + Buffer.byteLength(value);
    if (bytes + size > RESPONSE_HEADER_LIMITS.bytes) continue;
    if (recorded.length >= RESPONSE_HEADER_LIMITS.headers) break;
    recorded.push({ name, value });
    bytes += size;
  }
  return recorded;
}
