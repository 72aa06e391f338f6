import type { SessionStore } from './session-store.js';

/** Ends the sessions that a membership has now, except one. */
export async function endSessionsOf(
  sessions: Pick<SessionStore, 'list' | 'end'>,
  membershipId: string,
  exceptId?: string,
): Promise<void> {
  const ended = (await sessions.list(membershipId)).filter(({ id }) => id !== exceptId);
  await Promise.all(ended.map((session) => sessions.end(session)));
}
