import type { ServiceImpl } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { actorOf } from '../audit/actor.js';
import { type Database, queryWithin } from '../database/database.js';
import { callerLimits } from '../rpc/caller-limits.js';
import { required } from '../rpc/required.js';
import {
  beginSecondFactor,
  disableSecondFactor,
  enableSecondFactor,
  getSecondFactor,
  replaceRecoveryCodes,
  type SecondFactorDeps,
  useSecondFactor,
} from './second-factor.js';

/** Creates the RPCs with which a person manages their own second factor, and signs in with it. */
export function createSecondFactorRpcs(
  deps: SecondFactorDeps & { readonly database: Pick<Database, 'query' | 'transaction'> },
) {
  return {
    async getSecondFactor(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      return { resourceJson: JSON.stringify(await getSecondFactor(database, membershipOf(request))) };
    },

    async beginSecondFactor(request, context) {
      const limits = { timeoutMs: context.timeoutMs() };
      return { resourceJson: JSON.stringify(await beginSecondFactor(deps, membershipOf(request), limits)) };
    },

    async enableSecondFactor(request, context) {
      const { recoveryCodeSha256s } = request;
      const given = { code: required(request.code, 'code'), recoveryCodeSha256s };
      await enableSecondFactor(deps, ownerOf(request), given, { timeoutMs: context.timeoutMs() });
      return {};
    },

    async useSecondFactor(request, context) {
      const code = required(request.code, 'code');
      await useSecondFactor(deps, ownerOf(request), code, { timeoutMs: context.timeoutMs() });
      return {};
    },

    async replaceRecoveryCodes(request, context) {
      const { recoveryCodeSha256s } = request;
      const given = { code: required(request.code, 'code'), recoveryCodeSha256s };
      await replaceRecoveryCodes(deps, ownerOf(request), given, { timeoutMs: context.timeoutMs() });
      return {};
    },

    async disableSecondFactor(request, context) {
      const code = required(request.code, 'code');
      await disableSecondFactor(deps, ownerOf(request), code, { timeoutMs: context.timeoutMs() });
      return {};
    },
  } satisfies Partial<ServiceImpl<typeof AccessService>>;
}

function membershipOf(request: {
  readonly companyId?: string | undefined;
  readonly membershipId?: string | undefined;
}) {
  return {
    companyId: required(request.companyId, 'company_id'),
    membershipId: required(request.membershipId, 'membership_id'),
  };
}

function ownerOf(request: Parameters<typeof membershipOf>[0] & Parameters<typeof actorOf>[0]) {
  return { ...membershipOf(request), actor: actorOf(request) };
}
