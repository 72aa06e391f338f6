import type { CallOptions } from '@partner/kernel/amqp/operation-client';
import type { SessionCookie } from './session-cookie.js';
import type { ClientOrigin, SessionStore } from './session-store.js';
import type { SessionTrail } from './session-trail.js';

/** Ends the session that the browser had before a login, if any. */
export async function endFormerSession(
  deps: {
    readonly sessions: Pick<SessionStore, 'find' | 'end'>;
    readonly trail: Pick<SessionTrail, 'note'>;
    readonly cookie: Pick<SessionCookie, 'read'>;
  },
  cookieHeader: string | undefined,
  origin: ClientOrigin,
  call: CallOptions,
): Promise<void> {
  const token = deps.cookie.read(cookieHeader);
  const former = token === undefined ? undefined : await deps.sessions.find(token);
  if (former === undefined || !(await deps.sessions.end(former))) return;
  await deps.trail.note({ change: 'ended', owner: former, publicId: former.publicId, origin }, call);
}
