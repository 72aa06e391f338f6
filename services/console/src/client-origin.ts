import type { ClientOrigin } from './sessions/session-store.js';

/** Returns the client address and user agent of a request. */
export function clientOriginOf(request: {
  readonly remoteAddress: string;
  header(name: string): string | undefined;
}): ClientOrigin {
  return { remoteAddress: request.remoteAddress, userAgent: request.header('user-agent') };
}
