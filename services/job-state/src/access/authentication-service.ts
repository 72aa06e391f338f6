import type { ServiceImpl } from '@connectrpc/connect';
import {
  type AuthenticationService,
  CompanyClassSchema,
  KeyKindSchema,
} from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { enumValue } from '@partner/proto-contracts/values/enum-names';
import type { Environment } from '@partner/kernel/api-key';
import type { Logger } from '@partner/kernel/logger';
import { type Database, queryWithin } from '../database/database.js';
import { required } from '../rpc/required.js';
import { authenticateKey } from './authenticate-key.js';
import type { KeyUsage } from './start-key-usage.js';

/** Serves the RPC that resolves API keys for the gateways. */
export function createAuthenticationService(deps: {
  readonly database: Pick<Database, 'query'>;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly keyUsage: Pick<KeyUsage, 'note'>;
  /** The environment of the keys. Production keys never have fault scripts. */
  readonly environment: Environment;
}): ServiceImpl<typeof AuthenticationService> {
  return {
    async authenticateKey(request, context) {
      const database = queryWithin(deps.database, { timeoutMs: context.timeoutMs() });
      const principal = await authenticateKey(
        { ...deps, database },
        {
          keyId: required(request.keyId, 'key_id'),
          secretSha256: required(request.secretSha256, 'secret_sha256'),
        },
      );
      return {
        companyId: principal.companyId,
        companyClass: enumValue(CompanyClassSchema, principal.companyClass),
        kind: enumValue(KeyKindSchema, principal.kind),
        ...(principal.boundCompanyId === null ? {} : { boundCompanyId: principal.boundCompanyId }),
        ...(principal.installerRequestsPerMinute === null
          ? {}
          : { installerRequestsPerMinute: principal.installerRequestsPerMinute }),
        ...(principal.faults === null || deps.environment === 'production'
          ? {}
          : { faultsJson: principal.faults }),
      };
    },
  };
}
