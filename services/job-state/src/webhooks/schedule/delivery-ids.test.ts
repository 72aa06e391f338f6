import { describe, expect, test } from '@jest/globals';
import { isId } from '@partner/kernel/ids';
import { newDeliveryIds } from './delivery-ids.js';

describe('newDeliveryIds', () => {
  test('returns the requested number of different ids in ascending order', () => {
    const ids = newDeliveryIds(1024);
    expect(new Set(ids).size).toBe(1024);
    expect([...ids].sort()).toEqual(ids);
    expect(ids.every((id) => isId('dlv', id))).toBe(true);
  });

  test('shares no id with another call', () => {
    const first = new Set(newDeliveryIds(50));
    expect(newDeliveryIds(50).some((id) => first.has(id))).toBe(false);
  });

  test('rejects more ids than two characters can count', () => {
    expect(() => newDeliveryIds(1025)).toThrow();
  });
});
