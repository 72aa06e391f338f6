import type { DeliveryWithAttempts } from '@partner/proto-contracts/resources/delivery/delivery';
import { notFound } from '@partner/kernel/process/service-error';
import type { Queryable } from '../../database/database.js';
import { ANY_DELIVERY_COLUMNS, type DeliveryRow } from '../deliveries/delivery-columns.js';
import { ATTEMPT_COLUMNS, type AttemptRow } from '../deliveries/attempt-columns.js';
import { shownAttempt, shownDelivery } from '../deliveries/delivery-resource.js';

/** One delivery of one company, by its own id or by the id of an attempt, which is the id that the receiver sees. */
export interface DeliveryOfCompany {
  readonly companyId: string;
  readonly deliveryId: string;
}

/** More than the 8 counted attempts: an attempt whose lease expired is made again, and both may finish. */
const MAX_ATTEMPTS_SHOWN = 100;

/** Selects in `all_deliveries d` the delivery of a company whose own id, or the id of one of its attempts, is `id`. Both are SQL. */
export const isDeliveryOfCompany = (company: string, id: string) => `
  d.company_id = ${company} and d.id = coalesce((select a.delivery_id from delivery_attempts a where a.id = ${id} limit 1), ${id})`;

/**
 * Reads one delivery of a company with its first {@link MAX_ATTEMPTS_SHOWN} attempts, in order.
 *
 * Another company's delivery is `not_found`, like one that does not exist. One statement reads everything, so the state and the
 * attempts agree while attempts are recorded.
 */
export async function getDelivery(
  database: Queryable,
  { companyId, deliveryId }: DeliveryOfCompany,
): Promise<DeliveryWithAttempts> {
  const rows = await database.query<
    DeliveryRow & {
      readonly body: Buffer | null;
    } & (AttemptRow | { readonly attemptId: null })
  >(
    // Without any attempt there is one row, with null in the columns of an attempt.
    `select ${ATTEMPT_COLUMNS}, ${ANY_DELIVERY_COLUMNS}, e.body
     from all_deliveries d
     left join events e on e.id = d.event_id
     left join lateral (
       select * from delivery_attempts made where made.delivery_id = d.id order by made.started_at, made.id limit $3
     ) a on true
     where ${isDeliveryOfCompany('$1', '$2')}
     order by a.started_at, a.id`,
    [companyId, deliveryId, MAX_ATTEMPTS_SHOWN],
  );
  const [delivery] = rows;
  if (delivery === undefined) throw notFound('webhook delivery');
  return {
    delivery: shownDelivery(delivery),
    attempts: rows.flatMap((row) => (row.attemptId === null ? [] : [shownAttempt(row)])),
    // Null once the event has passed its retention.
    body: delivery.body?.toString('utf8') ?? null,
  };
}
