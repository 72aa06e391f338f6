import type { ServiceImpl } from '@connectrpc/connect';
import type { LocationService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { type Database, queryWithin } from '../database/database.js';
import { requireAtHome } from '../moves/company-moves.js';
import { required } from '../rpc/required.js';

/** Serves the RPC that tells gateways and console whether a company is in this shard. */
export function createLocationService(deps: {
  readonly database: Pick<Database, 'query'>;
}): ServiceImpl<typeof LocationService> {
  return {
    async locateCompany(request, context) {
      const companyId = required(request.companyId, 'company_id');
      const database = queryWithin(deps.database, { timeoutMs: context.timeoutMs() });
      const found = await database.query('select from companies where id = $1', [companyId]);
      await requireAtHome(database, companyId);
      return found.length === 0 ? {} : { companyId };
    },
  };
}
