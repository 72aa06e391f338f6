import type { ServiceImpl } from '@connectrpc/connect';
import type { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { getServiceStatus } from './service-status.js';

/** Serves the RPC with which everyone learns whether the service works. */
export function createServiceStatusRpcs(
  deps: Parameters<typeof getServiceStatus>[0],
): Pick<ServiceImpl<typeof DeliveryService>, 'getServiceStatus'> {
  return {
    getServiceStatus: async () => ({ resourceJson: JSON.stringify(await getServiceStatus(deps)) }),
  };
}
