import { useSecondFactorOperation } from '@partner/proto-contracts/internal/access/second-factor';
import {
  disableSecondFactorOperation,
  enableSecondFactorOperation,
  replaceRecoveryCodesOperation,
} from '@partner/proto-contracts/resources/second-factor/operations';
import { type AnyEndpoint, type EndpointRequest, serveOperation } from '@partner/gateway-kit/http/endpoint';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { ownerCaller } from '../acting-owner.js';
import { endSessionsOf } from '../sessions/end-sessions-of.js';
import type { LoginAttempts } from '../sessions/login-attempts.js';
import { newRecoveryCodes, tryCode } from '../sessions/second-factor-code.js';
import type { OwnerSession, SessionStore } from '../sessions/session-store.js';

type UseCode = Parameters<typeof tryCode>[2];

/**
 * The changes of a person's own second factor, each with a code. Enabling it ends the other sessions of the person, which started without
 * one. New recovery codes are shown even if Redis fails in between.
 */
export function changeSecondFactor(deps: {
  readonly operations: Pick<OperationClient, 'callInternal'>;
  readonly attempts: Pick<LoginAttempts, 'beginKnown'>;
  readonly sessions: Pick<SessionStore, 'list' | 'end'>;
  readonly logger: Pick<Logger, 'warn'>;
}): readonly AnyEndpoint<OwnerSession>[] {
  function withCode(
    request: EndpointRequest<OwnerSession, unknown, { readonly code: string }>,
    use: UseCode,
  ): Promise<unknown> {
    const client = `session ${request.principal.id}`;
    return tryCode(deps.attempts, { client, text: request.body.code }, use);
  }

  async function withNewCodes(
    request: EndpointRequest<OwnerSession, unknown, { readonly code: string }>,
    to: 'enable' | 'replace_recovery_codes',
  ) {
    const { texts, sha256s } = newRecoveryCodes();
    const call = { ...request.call, caller: ownerCaller(request) };
    await withCode(request, (code) =>
      deps.operations.callInternal(
        useSecondFactorOperation,
        { to, code, recoveryCodeSha256s: sha256s },
        call,
      ),
    );
    return { status: 200, json: { recoveryCodes: texts } };
  }

  return [
    serveOperation(enableSecondFactorOperation, async (request) => {
      const enabled = await withNewCodes(request, 'enable');
      const { id, companyId, membershipId } = request.principal;
      await endSessionsOf(deps.sessions, membershipId, id).catch((error: unknown) =>
        deps.logger.warn({ err: error, companyId, membershipId }, 'second_factor.sessions_not_ended'),
      );
      return enabled;
    }),
    serveOperation(replaceRecoveryCodesOperation, (request) =>
      withNewCodes(request, 'replace_recovery_codes'),
    ),
    serveOperation(disableSecondFactorOperation, async (request) => {
      const call = { ...request.call, caller: ownerCaller(request) };
      await withCode(request, (code) =>
        deps.operations.callInternal(useSecondFactorOperation, { to: 'disable', code }, call),
      );
      return { status: 204 };
    }),
  ];
}
