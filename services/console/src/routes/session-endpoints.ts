import {
  confirmSessionOperation,
  createSessionOperation,
  deleteSessionOperation,
  endSessionOperation,
  getSessionOperation,
  listSessionsOperation,
} from '@partner/proto-contracts/resources/session/operations';
import type { sessionResponse } from '@partner/proto-contracts/resources/session/session';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { isId } from '@partner/kernel/process/ids';
import { notFound } from '@partner/kernel/process/service-error';
import type { z } from 'zod';
import { clientOriginOf } from '../acting-owner.js';
import type { ConsoleDeps } from '../console-deps.js';
import { confirmPassword } from '../sessions/confirm-password.js';
import { logIn, replaceFormerSession, signOut } from '../sessions/log-in.js';
import type { OwnerSession } from '../sessions/session-store.js';

export function sessionEndpoints(deps: ConsoleDeps): readonly AnyEndpoint<OwnerSession>[] {
  const { sessions, trail } = deps;
  return [
    serveOperation(createSessionOperation, async (request) => {
      const device = deps.deviceCookie.read(request.header('cookie'));
      const credentials = { ...request.body, ...clientOriginOf(request), device };
      const started = await logIn(deps, credentials, request.call);
      const cookies = await replaceFormerSession(deps, request, started, device);
      return { status: 200, json: serializeSession(started.session), headers: { 'set-cookie': cookies } };
    }),
    serveOperation(getSessionOperation, async ({ principal }) => ({
      status: 200,
      json: serializeSession(principal),
    })),
    serveOperation(deleteSessionOperation, async (request) => {
      await signOut(deps, request.principal, request);
      return { status: 204, headers: { 'set-cookie': deps.cookie.clear() } };
    }),
    serveOperation(confirmSessionOperation, async (request) => {
      const session = await confirmPassword(deps, request, request.body.password);
      return { status: 200, json: serializeSession(session) };
    }),
    serveOperation(listSessionsOperation, async ({ principal }) => {
      const own = await sessions.list(principal.membershipId);
      return {
        status: 200,
        json: {
          sessions: own.map(({ id, publicId, startedAt, lastSeenAt, expiresAt, ...session }) => ({
            id: publicId,
            current: id === principal.id,
            startedAt: formatDateTime(startedAt),
            lastSeenAt: formatDateTime(lastSeenAt),
            expiresAt: formatDateTime(expiresAt),
            remoteAddress: session.remoteAddress,
            userAgent: session.userAgent,
          })),
        },
      };
    }),
    // Another owner's session is 404, even in the same company.
    serveOperation(endSessionOperation, async (request) => {
      const { principal, params, call } = request;
      const { id: publicId = '' } = params;
      const isEnded = isId('ses', publicId) && (await sessions.endOwn(principal.membershipId, publicId));
      if (!isEnded) throw notFound('session');
      const session = { ...principal, publicId };
      await trail.note({ change: 'ended', session, origin: clientOriginOf(request) }, call);
      return { status: 204 };
    }),
  ];
}

export function serializeSession(session: OwnerSession): z.input<typeof sessionResponse> {
  return {
    owner: { membershipId: session.membershipId, displayName: session.displayName, role: session.role },
    company: { id: session.companyId, name: session.companyName, class: session.companyClass },
    expiresAt: formatDateTime(session.expiresAt),
    confirmedUntil: formatDateTime(session.confirmedUntil),
  };
}
