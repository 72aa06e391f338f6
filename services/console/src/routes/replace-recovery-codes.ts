import type { Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { replaceRecoveryCodesOperation } from '@partner/proto-contracts/resources/second-factor/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { actingMember } from '../acting-owner.js';
import type { LoginAttempts } from '../sessions/login-attempts.js';
import { newRecoveryCodes, tryCode } from '../sessions/second-factor-code.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `POST /partner-api/second-factor/recovery-codes`: makes new recovery codes. */
export function replaceRecoveryCodes(deps: {
  readonly access: Pick<Client<typeof AccessService>, 'replaceRecoveryCodes'>;
  readonly attempts: Pick<LoginAttempts, 'beginKnown'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(replaceRecoveryCodesOperation, async (request) => {
    const { texts, sha256s } = newRecoveryCodes();
    const client = `session ${request.principal.id}`;
    await tryCode(deps.attempts, { client, text: request.body.code }, (code) =>
      deps.access.replaceRecoveryCodes(
        { ...actingMember(request), code, recoveryCodeSha256s: sha256s },
        request.call,
      ),
    );
    return { status: 200, json: { recoveryCodes: texts } };
  });
}
