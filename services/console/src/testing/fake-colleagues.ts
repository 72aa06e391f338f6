import type { ServiceImpl } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { COLLEAGUE_EXAMPLE } from '@partner/proto-contracts/resources/colleague/colleague';
import { resourceResponse } from './resource-response.js';

type ColleagueMethods = Pick<
  ServiceImpl<typeof AccessService>,
  'listColleagues' | 'addColleague' | 'setColleagueRole' | 'removeColleague' | 'resetColleagueSecondFactor'
>;

/** Creates methods for colleagues that record the call and change nothing. */
export function createFakeColleagueMethods(
  ask: (method: string, companyId: string | undefined, actingMembershipId?: string) => void,
): ColleagueMethods {
  return {
    listColleagues: ({ companyId }) => {
      ask('listColleagues', companyId);
      return resourceResponse({ colleagues: [COLLEAGUE_EXAMPLE] });
    },
    addColleague: ({ companyId, actor }) => {
      ask('addColleague', companyId, actor?.membershipId);
      return resourceResponse(COLLEAGUE_EXAMPLE);
    },
    setColleagueRole: ({ companyId, actor, role }) => {
      ask('setColleagueRole', companyId, actor?.membershipId);
      return resourceResponse({ ...COLLEAGUE_EXAMPLE, role });
    },
    removeColleague: ({ companyId, actor }) => {
      ask('removeColleague', companyId, actor?.membershipId);
      return {};
    },
    resetColleagueSecondFactor: ({ companyId, actor }) => {
      ask('resetColleagueSecondFactor', companyId, actor?.membershipId);
      return { email: COLLEAGUE_EXAMPLE.email };
    },
  };
}
