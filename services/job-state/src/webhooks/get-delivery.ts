import { notFound } from '@partner/runtime/service-error';
import type { Queryable } from '../database/database.js';
import { ATTEMPT_COLUMNS, type AttemptRow, DELIVERY_COLUMNS, type DeliveryRow } from './delivery-message.js';

/** A delivery with its history and the body that every attempt sends. */
export interface DeliveryHistory {
  readonly delivery: DeliveryRow;
  /** In the order in which they were made. */
  readonly attempts: readonly AttemptRow[];
  readonly body: Uint8Array;
}

/**
 * Reads one delivery of a company, by its own id or by the id of any of its attempts, which is what the receiver saw.
 * Another company's is `not_found` like one that does not exist.
 */
export async function getDelivery(
  database: Queryable,
  { companyId, deliveryId }: { readonly companyId: string; readonly deliveryId: string },
): Promise<DeliveryHistory> {
  const [found] = await database.query<DeliveryRow & { readonly body: Buffer }>(
    `select ${DELIVERY_COLUMNS}, e.body from deliveries d join events e on e.id = d.event_id
     where d.company_id = $1 and d.id = coalesce((select a.delivery_id from delivery_attempts a where a.id = $2), $2)`,
    [companyId, deliveryId],
  );
  if (found === undefined) throw notFound('webhook delivery');
  const { body, ...delivery } = found;
  const attempts = await database.query<AttemptRow>(
    `select ${ATTEMPT_COLUMNS} from delivery_attempts a where a.delivery_id = $1 order by a.started_at, a.id`,
    [delivery.id],
  );
  return { delivery, attempts, body };
}
