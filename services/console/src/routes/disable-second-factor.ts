import type { Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { disableSecondFactorOperation } from '@partner/proto-contracts/resources/second-factor/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { actingMember } from '../acting-owner.js';
import type { LoginAttempts } from '../sessions/login-attempts.js';
import { tryCode } from '../sessions/second-factor-code.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `POST /partner-api/second-factor/disable`: sign-in needs the password only. */
export function disableSecondFactor(deps: {
  readonly access: Pick<Client<typeof AccessService>, 'disableSecondFactor'>;
  readonly attempts: Pick<LoginAttempts, 'beginKnown'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(disableSecondFactorOperation, async (request) => {
    const client = `session ${request.principal.id}`;
    await tryCode(deps.attempts, { client, text: request.body.code }, (code) =>
      deps.access.disableSecondFactor({ ...actingMember(request), code }, request.call),
    );
    return { status: 204 };
  });
}
