import { invariant } from '@partner/kernel/invariant';
import { newId } from '@partner/kernel/ids';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const SUFFIX_LENGTH = 2;

/**
 * Makes the ids of the deliveries of one event, up to 1,024: one new TypeID whose last two characters count. They sort in
 * their order and stay unique by the 64 random bits before the count, at the price of a single id.
 */
export function newDeliveryIds(count: number): readonly string[] {
  invariant(count <= DIGITS.length ** SUFFIX_LENGTH, 'the count of ids fits two characters');
  const start = newId('dlv').slice(0, -SUFFIX_LENGTH);
  return Array.from({ length: count }, (_, index) => {
    const high = DIGITS.charAt(Math.floor(index / DIGITS.length));
    return start + high + DIGITS.charAt(index % DIGITS.length);
  });
}
