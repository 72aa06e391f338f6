import type { ServiceImpl } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import type { Logger } from '@partner/runtime/logger';
import { type Database, queryWithin } from '../database/database.js';
import { required } from '../rpc/required.js';
import { COMPANY_CLASS_ON_THE_WIRE, KEY_KIND_ON_THE_WIRE } from './access-wire.js';
import { authenticateKey } from './authenticate-key.js';
import { getLogin } from './get-login.js';
import { revokeKey } from './revoke-key.js';
import type { KeyUsage } from './start-key-usage.js';

/** Serves the RPCs that tell who a caller is. */
export function createAccessService(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly keyUsage: Pick<KeyUsage, 'note'>;
}): ServiceImpl<typeof AccessService> {
  return {
    async authenticateKey(request, context) {
      const database = queryWithin(deps.database, context.timeoutMs());
      const principal = await authenticateKey(
        { ...deps, database },
        {
          keyId: required(request.keyId, 'key_id'),
          secretSha256: required(request.secretSha256, 'secret_sha256'),
        },
      );
      return {
        companyId: principal.companyId,
        companyClass: COMPANY_CLASS_ON_THE_WIRE[principal.companyClass],
        kind: KEY_KIND_ON_THE_WIRE[principal.kind],
        ...(principal.boundCompanyId === null ? {} : { boundCompanyId: principal.boundCompanyId }),
        ...(principal.installerRequestsPerMinute === null
          ? {}
          : { installerRequestsPerMinute: principal.installerRequestsPerMinute }),
      };
    },

    async revokeKey(request, context) {
      await revokeKey(deps, {
        companyId: required(request.companyId, 'company_id'),
        keyId: required(request.keyId, 'key_id'),
        timeoutMs: context.timeoutMs(),
      });
      return {};
    },

    async getLogin(request, context) {
      const database = queryWithin(deps.database, context.timeoutMs());
      const login = await getLogin({ database }, required(request.email, 'email'));
      if (login === undefined) return {};
      const { companyClass, ...rest } = login;
      return { login: { ...rest, companyClass: COMPANY_CLASS_ON_THE_WIRE[companyClass] } };
    },
  };
}
