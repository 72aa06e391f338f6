import { inviteColleagueOperation } from '@partner/proto-contracts/internal/access/invite-colleague';
import type { Colleague, ColleagueList } from '@partner/proto-contracts/resources/colleague/colleague';
import {
  listColleaguesOperation,
  removeColleagueOperation,
  resetColleagueSecondFactorOperation,
  setColleagueRoleOperation,
} from '@partner/proto-contracts/resources/colleague/operations';
import {
  type Implementation,
  implement,
  implementInternal,
  type OperationRequest,
} from '@partner/kernel/amqp/implement';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { callingOwner } from '../audit/actor.js';
import { type Database, queryWithin } from '../database/database.js';
import {
  addColleague,
  listColleagues,
  removeColleague,
  resetColleagueSecondFactor,
  setColleagueRole,
} from './colleagues.js';

/** The operations with which an owner manages the colleagues who use the console. The console mails the invitations. */
export function colleagueOperations(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Logger;
}): readonly Implementation[] {
  return [
    implement(listColleaguesOperation, async ({ companyId, timeoutMs }) => {
      const database = queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
      const colleagues = await listColleagues(database, companyId);
      return { json: JSON.stringify({ colleagues: [...colleagues] } satisfies ColleagueList) };
    }),
    implementInternal(inviteColleagueOperation, async (input, { caller, timeoutMs }) => {
      const actor = callingOwner(caller);
      const tokenSha256 = Buffer.from(input.tokenSha256, 'hex');
      const request = { ...input, companyId: actor.companyId, actor, tokenSha256 };
      return addColleague(deps, request, { timeoutMs: timeoutMs() });
    }),
    implement(setColleagueRoleOperation, async (request) => {
      const change = { ...changeOf(request), role: request.body.role };
      const changed = await setColleagueRole(deps, change, { timeoutMs: request.timeoutMs() });
      return { json: JSON.stringify(changed satisfies Colleague) };
    }),
    implement(removeColleagueOperation, async (request) => {
      await removeColleague(deps, changeOf(request), { timeoutMs: request.timeoutMs() });
      return { json: '' };
    }),
    implement(resetColleagueSecondFactorOperation, async (request) => {
      await resetColleagueSecondFactor(deps, changeOf(request), { timeoutMs: request.timeoutMs() });
      return { json: '' };
    }),
  ];
}

function changeOf({
  companyId,
  caller,
  params,
}: Pick<OperationRequest<unknown, unknown, 'id'>, 'companyId' | 'caller' | 'params'>) {
  return { companyId, actor: callingOwner(caller), membershipId: params.id };
}
