import type { ServiceImpl } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { role } from '@partner/proto-contracts/api/roles';
import {
  type Colleague,
  colleagueIn,
  type ColleagueList,
} from '@partner/proto-contracts/resources/colleague/colleague';
import type { Logger } from '@partner/kernel/logger';
import { invalidArgument, validate } from '@partner/kernel/validation';
import { actorOf } from '../audit/actor.js';
import { type Database, queryWithin } from '../database/database.js';
import { callerLimits } from '../rpc/caller-limits.js';
import { required } from '../rpc/required.js';
import {
  addColleague,
  listColleagues,
  removeColleague,
  resetColleagueSecondFactor,
  setColleagueRole,
} from './colleagues.js';

/** Serves the RPCs with which an owner manages the people of the company. */
export function createColleagueRpcs(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Logger;
}): Pick<
  ServiceImpl<typeof AccessService>,
  'listColleagues' | 'addColleague' | 'setColleagueRole' | 'removeColleague' | 'resetColleagueSecondFactor'
> {
  return {
    async listColleagues(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const colleagues = await listColleagues(database, required(request.companyId, 'company_id'));
      return { resourceJson: JSON.stringify({ colleagues: [...colleagues] } satisfies ColleagueList) };
    },

    async addColleague(request, context) {
      const { displayName, email, role: given } = request;
      const checked = validate(colleagueIn, { displayName, email, role: given }, 'body');
      if (!checked.valid) throw invalidArgument(checked.violations);
      const added = await addColleague(
        deps,
        {
          ...checked.value,
          companyId: required(request.companyId, 'company_id'),
          actor: actorOf(request),
          tokenSha256: required(request.tokenSha256, 'token_sha256'),
        },
        { timeoutMs: context.timeoutMs() },
      );
      return { resourceJson: JSON.stringify(added satisfies Colleague) };
    },

    async setColleagueRole(request, context) {
      const changed = await setColleagueRole(
        deps,
        {
          companyId: required(request.companyId, 'company_id'),
          actor: actorOf(request),
          membershipId: required(request.membershipId, 'membership_id'),
          role: required(role.safeParse(request.role).data, 'known role'),
        },
        { timeoutMs: context.timeoutMs() },
      );
      return { resourceJson: JSON.stringify(changed satisfies Colleague) };
    },

    async removeColleague(request, context) {
      await removeColleague(
        deps,
        {
          companyId: required(request.companyId, 'company_id'),
          actor: actorOf(request),
          membershipId: required(request.membershipId, 'membership_id'),
        },
        { timeoutMs: context.timeoutMs() },
      );
      return {};
    },

    async resetColleagueSecondFactor(request, context) {
      const { email, hasSecondFactor } = await resetColleagueSecondFactor(
        deps,
        {
          companyId: required(request.companyId, 'company_id'),
          actor: actorOf(request),
          membershipId: required(request.membershipId, 'membership_id'),
        },
        { timeoutMs: context.timeoutMs() },
      );
      return hasSecondFactor && email !== null ? { email } : {};
    },
  };
}
