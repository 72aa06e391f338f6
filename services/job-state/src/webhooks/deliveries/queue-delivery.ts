import { DELIVERY } from './delivery-columns.js';

type Field = keyof typeof DELIVERY;

/** SQL for the columns of a delivery. Absent ones have their defaults: a pending one, due now. */
type QueuedDelivery = { readonly [Column in Field]?: string } & {
  readonly [Column in 'id' | 'subscriptionId' | 'companyId' | 'eventId']: string;
};

/** SQL that queues a delivery for each row of `from`. */
export function queueDeliveries(delivery: QueuedDelivery, from: string): string {
  const columns = Object.entries(DELIVERY).flatMap(([field, { name }]) => {
    const sql = Object.entries(delivery).find(([given]) => given === field)?.[1];
    return sql === undefined ? [] : [{ name, sql }];
  });
  return `insert into deliveries (${columns.map(({ name }) => name).join(', ')})
     select ${columns.map(({ sql }) => sql).join(', ')}
     from ${from}`;
}

/** The columns of a delivery that come from its event, a row of `events` under this alias. */
export function ofEvent(e: string) {
  return {
    companyId: `${e}.company_id`,
    eventId: `${e}.id`,
    event: `${e}.name`,
    resourceType: `${e}.resource_type`,
    resourceId: `${e}.resource_id`,
  } as const;
}

/** Whether the deliveries to a subscription are ordered. `id` is SQL. */
export const orderedOf = (id: string) => `(select s.ordered from subscriptions s where s.id = ${id})`;

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * SQL for the ids of deliveries that one statement queues: a new id whose last two characters are replaced by a number.
 *
 * The ids of numbers from 0 to 1,023 sort in their order. The 64 random bits before them keep them unique, at the cost of a
 * single id. `newId` and `number` are SQL.
 */
export function deliveryIds(newId: string, number: string): string {
  const digit = (value: string) => `substr('${DIGITS}', (${value})::integer + 1, 1)`;
  return `left(${newId}, -2) || ${digit(`(${number}) / ${DIGITS.length}`)} || ${digit(`(${number}) % ${DIGITS.length}`)}`;
}
