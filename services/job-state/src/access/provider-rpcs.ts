import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import {
  type AccessService,
  CompanyClassSchema,
  type ProviderIdentity as IdentityMessage,
} from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { enumValue } from '@partner/proto-contracts/values/enum-names';
import type { Logger } from '@partner/kernel/logger';
import { actorOf } from '../audit/actor.js';
import { type Database, queryWithin } from '../database/database.js';
import { callerLimits } from '../rpc/caller-limits.js';
import { required } from '../rpc/required.js';
import { passwordVersion } from './password-version.js';
import { getProviderLogin, getSignInMethods, linkProvider, type ProviderIdentity } from './provider-links.js';

/** Creates the RPCs with which people sign in at the identity provider. */
export function createProviderRpcs(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Logger;
}) {
  return {
    async getProviderLogin(request, context) {
      const database = queryWithin(deps.database, { timeoutMs: context.timeoutMs() });
      const found = await getProviderLogin(database, identityOf(request), deps.clock());
      if (found === undefined) return {};
      const { companyClass, passwordHash, sessionVersion, ...login } = found.login;
      return {
        login: {
          ...login,
          companyClass: enumValue(CompanyClassSchema, companyClass),
          passwordVersion: passwordVersion({ passwordHash, sessionVersion }),
        },
        isLinked: found.isLinked,
      };
    },

    async linkProvider(request, context) {
      const actor = actorOf(request);
      await linkProvider(
        deps,
        {
          companyId: required(request.companyId, 'company_id'),
          membershipId: required(actor?.membershipId, 'actor.membership_id'),
          identity: identityOf(request),
          actor,
        },
        { timeoutMs: context.timeoutMs() },
      );
      return {};
    },

    async getSignInMethods(request, context) {
      const { hasPassword, linkedAt } = await getSignInMethods(
        queryWithin(deps.database, callerLimits(request, context)),
        {
          companyId: required(request.companyId, 'company_id'),
          membershipId: required(request.membershipId, 'membership_id'),
          issuer: request.issuer,
        },
      );
      return { hasPassword, ...(linkedAt !== null && { linkedAt: timestampFromDate(linkedAt) }) };
    },
  } satisfies Partial<ServiceImpl<typeof AccessService>>;
}

function identityOf({ identity }: { readonly identity?: IdentityMessage | undefined }): ProviderIdentity {
  return {
    issuer: required(identity?.issuer, 'identity.issuer'),
    subject: required(identity?.subject, 'identity.subject'),
    verifiedEmail: identity?.verifiedEmail,
  };
}
