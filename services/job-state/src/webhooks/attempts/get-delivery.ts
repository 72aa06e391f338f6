import { notFound } from '@partner/kernel/service-error';
import type { Queryable } from '../../database/database.js';
import {
  ANY_DELIVERY_COLUMNS,
  ATTEMPT_COLUMNS,
  type AttemptRow,
  type DeliveryRow,
} from '../schedule/delivery-message.js';

/** One delivery of one company, named by its own id or by the id of any of its attempts, which is what the receiver saw. */
export interface DeliveryOfCompany {
  readonly companyId: string;
  readonly deliveryId: string;
}

/** A delivery with its history and the body that every attempt sends. */
export interface DeliveryHistory {
  readonly delivery: DeliveryRow;
  /** In the order in which they were made; at most {@link MAX_ATTEMPTS_SHOWN}. */
  readonly attempts: readonly AttemptRow[];
  /** Null once the event is no longer kept. */
  readonly body: Uint8Array | null;
}

/** More than the 8 that count: an attempt whose lease ran out is made again, and both may end. */
const MAX_ATTEMPTS_SHOWN = 100;

/** Finds in `all_deliveries d` the delivery of company $1 that $2 is the id of, or the id of an attempt of. */
export const IS_DELIVERY_OF_COMPANY = `
  d.company_id = $1 and d.id = coalesce((select a.delivery_id from delivery_attempts a where a.id = $2 limit 1), $2)`;

/** Reads one delivery of a company. Another company's is `not_found` like one that does not exist. */
export async function getDelivery(
  database: Queryable,
  { companyId, deliveryId }: DeliveryOfCompany,
): Promise<DeliveryHistory> {
  const [found] = await database.query<DeliveryRow & { readonly body: Buffer | null }>(
    `select ${ANY_DELIVERY_COLUMNS}, e.body from all_deliveries d left join events e on e.id = d.event_id
     where ${IS_DELIVERY_OF_COMPANY}`,
    [companyId, deliveryId],
  );
  if (found === undefined) throw notFound('webhook delivery');
  const { body, ...delivery } = found;
  const attempts = await database.query<AttemptRow>(
    `select ${ATTEMPT_COLUMNS} from delivery_attempts a where a.delivery_id = $1 order by a.started_at, a.id limit $2`,
    [delivery.id, MAX_ATTEMPTS_SHOWN],
  );
  return { delivery, attempts, body };
}
