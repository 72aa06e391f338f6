import type { ClientOrigin } from './sessions/session-store.js';

/** Where a request comes from. */
export function clientOriginOf(request: {
  readonly remoteAddress: string;
  header(name: string): string | undefined;
}): ClientOrigin {
  return { remoteAddress: request.remoteAddress, userAgent: request.header('user-agent') };
}
