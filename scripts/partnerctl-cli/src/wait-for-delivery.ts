import type { Client } from '@connectrpc/connect';
import type { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import {
  type Delivery,
  type DeliveryWithAttempts,
  deliveryWithAttempts,
} from '@partner/proto-contracts/resources/delivery/delivery';
import { readResource } from '@partner/proto-contracts/resource-json';
import { pollUntil } from './poll-until.js';

/** Waits until one more attempt of a delivery is recorded than it had, and returns the delivery. */
export async function waitForDelivery(
  deliveries: Pick<Client<typeof DeliveryService>, 'getDelivery'>,
  companyId: string,
  { id: deliveryId, attempts }: Pick<Delivery, 'id' | 'attempts'>,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<DeliveryWithAttempts> {
  return pollUntil(`an attempt of ${deliveryId}`, { ...options, everyMs: 100 }, async () => {
    const response = await deliveries.getDelivery({ companyId, deliveryId });
    const found = readResource(deliveryWithAttempts, response);
    return found.delivery.attempts > attempts ? found : undefined;
  });
}
