const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * SQL for the ids of deliveries that one statement queues: a new id whose last two characters are replaced by a number.
 *
 * The ids of numbers from 0 to 1,023 sort in their order. The 64 random bits before them keep them unique, at the cost of a
 * single id. `newId` and `number` are SQL.
 */
export function deliveryIdSql(newId: string, number: string): string {
  const digit = (value: string) => `substr('${DIGITS}', (${value})::integer + 1, 1)`;
  return `left(${newId}, -2) || ${digit(`(${number}) / ${DIGITS.length}`)} || ${digit(`(${number}) % ${DIGITS.length}`)}`;
}
