import { parsedUrl } from './parsed-url.js';

const SHOWN = 8;

/**
 * Shortens the URL of a webhook for people who do not manage it: its path and query can be a secret. It keeps the host and at most a third
 * of the rest, up to 8 characters, so that webhooks differ. A text that is not a URL stays as it is.
 */
export function shortUrl(text: string): string {
  const url = parsedUrl(text);
  if (url === undefined) return text;
  const { origin, pathname, search } = url;
  const rest = `${pathname.slice(1)}${search}`;
  if (rest === '') return text;
  return `${origin}/${rest.slice(0, Math.min(SHOWN, Math.floor(rest.length / 3)))}…`;
}
