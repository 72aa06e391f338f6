import {
  removeColleagueOperation,
  resetColleagueSecondFactorOperation,
  setColleagueRoleOperation,
} from '@partner/proto-contracts/resources/colleague/operations';
import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { callFor, type Forwarding, responseTo } from '@partner/gateway-kit/operations/forward-operation';
import { endSessionsOf } from '../sessions/end-sessions-of.js';
import type { OwnerSession, SessionStore } from '../sessions/session-store.js';

const OPERATIONS: readonly AnyOperation[] = [
  setColleagueRoleOperation,
  removeColleagueOperation,
  resetColleagueSecondFactorOperation,
];

/** The changes of a colleague's access. Each ends the colleague's sessions at once; without Redis they end within a minute. */
export function changeColleague(deps: {
  readonly forwarding: Forwarding<OwnerSession>;
  readonly sessions: Pick<SessionStore, 'list' | 'end'>;
}): readonly AnyEndpoint<OwnerSession>[] {
  return OPERATIONS.map((operation) =>
    serveOperation(operation, async (request) => {
      const reply = await callFor(operation, request, deps.forwarding);
      await endSessionsOf(deps.sessions, request.params['id'] ?? '');
      return responseTo(operation, request, reply);
    }),
  );
}
