import { invariant } from '@partner/kernel/invariant';
import { newId } from '@partner/kernel/ids';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const SUFFIX_LENGTH = 2;

/**
 * Returns up to 1,024 ids for the deliveries of one event: one new TypeID whose last two characters count up.
 *
 * The ids sort in their order. The 64 random bits before the counter keep them unique, at the cost of a single id.
 */
export function newDeliveryIds(count: number): readonly string[] {
  invariant(count <= DIGITS.length ** SUFFIX_LENGTH, 'the count of ids fits two characters');
  const start = newId('dlv').slice(0, -SUFFIX_LENGTH);
  return Array.from({ length: count }, (_, index) => {
    const high = DIGITS.charAt(Math.floor(index / DIGITS.length));
    return start + high + DIGITS.charAt(index % DIGITS.length);
  });
}
