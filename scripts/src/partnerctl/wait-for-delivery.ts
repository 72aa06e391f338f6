import type { Client } from '@connectrpc/connect';
import {
  type DeliveryService,
  type GetDeliveryResponse,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { pollUntil } from './poll-until.js';

/** Waits until at least one attempt of a delivery has been recorded, and gives the delivery as it is then. */
export async function waitForDelivery(
  deliveries: Pick<Client<typeof DeliveryService>, 'getDelivery'>,
  companyId: string,
  deliveryId: string,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<GetDeliveryResponse> {
  return pollUntil(`an attempt of ${deliveryId}`, { ...options, everyMs: 100 }, async () => {
    const found = await deliveries.getDelivery({ companyId, deliveryId });
    return found.attempts.length > 0 ? found : undefined;
  });
}
