import { parsedUrl } from '../../values/parsed-url.js';

/** A webhook's URL in the form in which it is stored, shown and sent (URL-4). */
export interface SentUrl {
  /** The `host` header: in lower case and ASCII, without a trailing dot and without port 443. */
  readonly host: string;
  /** Path and query byte for byte as registered; only characters beyond ASCII are percent-encoded, as HTTP demands. */
  readonly target: string;
  readonly text: string;
}

/**
 * Reads a URL that obeys the URL rules. `URL` alone would rewrite path and query: quotes, dot segments, an empty query.
 * Undefined if it is not an https URL, or has a user name or password.
 */
export function sentUrl(registered: string): SentUrl | undefined {
  const parts = /^https:\/\/[^/?#\\]+/i.exec(registered);
  const url = parsedUrl(registered);
  if (parts === null || url === undefined || url.username !== '' || url.password !== '') return undefined;
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  const rest = registered.slice(parts[0].length);
  const target = (rest.startsWith('/') ? rest : `/${rest}`).replaceAll(/[^\x21-\x7e]+/gu, encodeURIComponent);
  return { host: url.host, target, text: `https://${url.host}${target}` };
}
