import type { Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { enableSecondFactorOperation } from '@partner/proto-contracts/resources/second-factor/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import type { Logger } from '@partner/kernel/logger';
import { actingMember } from '../acting-owner.js';
import { endSessionsOf } from '../sessions/end-sessions-of.js';
import type { LoginAttempts } from '../sessions/login-attempts.js';
import { newRecoveryCodes, tryCode } from '../sessions/second-factor-code.js';
import type { OwnerSession, SessionStore } from '../sessions/session-store.js';

/**
 * `POST /partner-api/second-factor/enable`: from now on sign-in asks for a code. The other sessions of the person end: they started
 * without one. The recovery codes are shown even if Redis fails in between.
 */
export function enableSecondFactor(deps: {
  readonly access: Pick<Client<typeof AccessService>, 'enableSecondFactor'>;
  readonly attempts: Pick<LoginAttempts, 'beginKnown'>;
  readonly sessions: Pick<SessionStore, 'list' | 'end'>;
  readonly logger: Pick<Logger, 'warn'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(enableSecondFactorOperation, async (request) => {
    const { texts, sha256s } = newRecoveryCodes();
    const client = `session ${request.principal.id}`;
    await tryCode(deps.attempts, { client, text: request.body.code }, (code) =>
      deps.access.enableSecondFactor(
        { ...actingMember(request), code, recoveryCodeSha256s: sha256s },
        request.call,
      ),
    );
    const { id, companyId, membershipId } = request.principal;
    await endSessionsOf(deps.sessions, membershipId, id).catch((error: unknown) =>
      deps.logger.warn({ err: error, companyId, membershipId }, 'second_factor.sessions_not_ended'),
    );
    return { status: 200, json: { recoveryCodes: texts } };
  });
}
