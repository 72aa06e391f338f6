import type { ServiceImpl } from '@connectrpc/connect';
import type { OperatorService } from '@partner/proto-contracts/gen/partner/operator/v1/operator_service_pb';
import { role, type Role } from '@partner/proto-contracts/api/roles';
import type { Logger } from '@partner/kernel/logger';
import { type Database, queryWithin } from '../database/database.js';
import { pageSize } from '../rpc/page-size.js';
import { required } from '../rpc/required.js';
import { operatorActor } from '../audit/operator-actor.js';
import { createOwner, listOwners, resetSecondFactor, unlinkProvider, updateOwner } from './owners.js';

/** Creates the RPCs with which operators manage the people of the companies. */
export function createOwnerRpcs(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly logger: Pick<Logger, 'info'>;
}) {
  return {
    async listOwners(request, context) {
      const database = queryWithin(deps.database, { timeoutMs: context.timeoutMs() });
      const page = await listOwners(database, {
        companyId: required(request.companyId, 'company_id'),
        afterMembershipId: request.afterMembershipId,
        limit: pageSize(request.limit),
      });
      return { resourceJson: JSON.stringify(page) };
    },

    async createOwner(request, context) {
      const owner = await createOwner(
        deps,
        {
          companyId: required(request.companyId, 'company_id'),
          displayName: required(request.displayName, 'display_name'),
          email: required(request.email, 'email'),
          passwordHash: request.passwordHash,
          role: givenRole(request),
          actor: operatorActor(request),
        },
        { timeoutMs: context.timeoutMs() },
      );
      return { resourceJson: JSON.stringify(owner) };
    },

    async updateOwner(request, context) {
      const owner = await updateOwner(
        deps,
        {
          membershipId: required(request.membershipId, 'membership_id'),
          passwordHash: request.passwordHash,
          active: request.active,
          role: givenRole(request),
          actor: operatorActor(request),
        },
        { timeoutMs: context.timeoutMs() },
      );
      return { resourceJson: JSON.stringify(owner) };
    },

    async resetSecondFactor(request, context) {
      const owner = await resetSecondFactor(
        deps,
        { membershipId: required(request.membershipId, 'membership_id'), actor: operatorActor(request) },
        { timeoutMs: context.timeoutMs() },
      );
      return { resourceJson: JSON.stringify(owner) };
    },

    async unlinkProvider(request, context) {
      const owner = await unlinkProvider(
        deps,
        { membershipId: required(request.membershipId, 'membership_id'), actor: operatorActor(request) },
        { timeoutMs: context.timeoutMs() },
      );
      return { resourceJson: JSON.stringify(owner) };
    },
  } satisfies Partial<ServiceImpl<typeof OperatorService>>;
}

function givenRole(request: { readonly role?: string | undefined }): Role | undefined {
  return request.role === undefined ? undefined : required(role.safeParse(request.role).data, 'known role');
}
