import {
  type SecondFactorCode,
  useSecondFactorOperation,
} from '@partner/proto-contracts/internal/access/second-factor';
import {
  disableSecondFactorOperation,
  enableSecondFactorOperation,
  replaceRecoveryCodesOperation,
} from '@partner/proto-contracts/resources/second-factor/operations';
import { type AnyEndpoint, type EndpointRequest, serveOperation } from '@partner/gateway-kit/http/endpoint';
import type { z } from 'zod';
import { ownerCall } from '../acting-owner.js';
import type { ConsoleDeps } from '../console-deps.js';
import { newRecoveryCodes, tryCode } from '../sessions/second-factor-code.js';
import { endSessionsOf, type OwnerSession } from '../sessions/session-store.js';

type CodeRequest = EndpointRequest<OwnerSession, unknown, { readonly code: string }>;
type SecondFactorUse = z.infer<typeof useSecondFactorOperation.input>;

/**
 * The changes of a person's own second factor, each with a code. Enabling it ends the other sessions of the person, which started without
 * one. New recovery codes are shown even if Redis fails in between.
 */
export function secondFactorEndpoints(deps: ConsoleDeps): readonly AnyEndpoint<OwnerSession>[] {
  function use(request: CodeRequest, changeWith: (code: SecondFactorCode) => SecondFactorUse) {
    const given = { client: `session ${request.principal.id}`, text: request.body.code };
    return tryCode(deps.attempts, given, (code) =>
      deps.operations.callInternal(useSecondFactorOperation, changeWith(code), ownerCall(request)),
    );
  }

  async function useForNewCodes(request: CodeRequest, to: 'enable' | 'replace_recovery_codes') {
    const { texts, sha256s: recoveryCodeSha256s } = newRecoveryCodes();
    await use(request, (code) => ({ to, code, recoveryCodeSha256s }));
    return { status: 200, json: { recoveryCodes: texts } };
  }

  return [
    serveOperation(enableSecondFactorOperation, async (request) => {
      const enabled = await useForNewCodes(request, 'enable');
      const { id, companyId, membershipId } = request.principal;
      await endSessionsOf(deps.sessions, membershipId, id).catch((error: unknown) =>
        deps.logger.warn({ err: error, companyId, membershipId }, 'second_factor.sessions_not_ended'),
      );
      return enabled;
    }),
    serveOperation(replaceRecoveryCodesOperation, (request) =>
      useForNewCodes(request, 'replace_recovery_codes'),
    ),
    serveOperation(disableSecondFactorOperation, async (request) => {
      await use(request, (code) => ({ to: 'disable', code }));
      return { status: 204 };
    }),
  ];
}
