import { authenticateKeyOperation } from '@partner/proto-contracts/internal/access/authenticate-key';
import { type Implementation, implementInternal } from '@partner/kernel/amqp/implement';
import type { Environment } from '@partner/kernel/security/api-key';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { type Database, queryWithin } from '../database/database.js';
import { authenticateKey } from './authenticate-key.js';
import type { KeyUsage } from './start-key-usage.js';

/** The operation that resolves API keys for the gateways. */
export function keyOperations(deps: {
  readonly database: Pick<Database, 'query'>;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly keyUsage: Pick<KeyUsage, 'note'>;
  /** The environment of the keys. Production keys never have fault scripts. */
  readonly environment: Environment;
}): readonly Implementation[] {
  return [
    implementInternal(authenticateKeyOperation, async ({ keyId, secretSha256 }, { timeoutMs }) => {
      const database = queryWithin(deps.database, { timeoutMs: timeoutMs() });
      const { boundCompanyId, installerRequestsPerMinute, faults, ...principal } = await authenticateKey(
        { ...deps, database },
        { keyId, secretSha256: Buffer.from(secretSha256, 'hex') },
      );
      return {
        ...principal,
        ...(boundCompanyId !== null && { boundCompanyId }),
        ...(installerRequestsPerMinute !== null && { installerRequestsPerMinute }),
        ...(deps.environment !== 'production' && { faults }),
      };
    }),
  ];
}
