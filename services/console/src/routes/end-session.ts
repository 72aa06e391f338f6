import { endSessionOperation } from '@partner/proto-contracts/resources/session/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { isId } from '@partner/kernel/process/ids';
import { notFound } from '@partner/kernel/process/service-error';
import { clientOriginOf } from '../client-origin.js';
import type { OwnerSession, SessionStore } from '../sessions/session-store.js';
import type { SessionTrail } from '../sessions/session-trail.js';

/**
 * `DELETE /partner-api/sessions/{id}`: signs out another session or the current one. Another owner's session is 404,
 * even in the same company.
 */
export function endSession(deps: {
  readonly sessions: Pick<SessionStore, 'endOwn'>;
  readonly trail: Pick<SessionTrail, 'note'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(endSessionOperation, async (request) => {
    const { principal: owner, params, call } = request;
    const { id: publicId = '' } = params;
    const isEnded = isId('ses', publicId) && (await deps.sessions.endOwn(owner.membershipId, publicId));
    if (!isEnded) throw notFound('session');
    await deps.trail.note({ change: 'ended', owner, publicId, origin: clientOriginOf(request) }, call);
    return { status: 204 };
  });
}
