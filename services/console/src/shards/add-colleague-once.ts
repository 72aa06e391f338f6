import type { Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { invalidArgument } from '@partner/kernel/validation';

type AddColleagueClient = Pick<Client<typeof AccessService>, 'addColleague' | 'locateAddress'>;

/**
 * Adds a colleague to a company of one of several shards. Fails with `invalid_argument` for an address in use in another shard, as
 * the own one does: a person who signs in is looked up in all shards by the address alone.
 */
export function addColleagueOnce(access: AddColleagueClient): AddColleagueClient['addColleague'] {
  return async (request, options) => {
    const { companyId } = await access.locateAddress({ email: request.email }, options);
    if (companyId !== undefined && companyId !== request.companyId) {
      throw invalidArgument([{ path: 'email', message: 'is in use' }]);
    }
    return access.addColleague(request, options);
  };
}
