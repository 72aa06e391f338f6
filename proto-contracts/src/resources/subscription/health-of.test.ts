import { expect, test } from '@jest/globals';
import { healthOf } from './health-of.js';

test('a paused or never tested subscription has no health [DELIVERY-12]', () => {
  const active = { state: 'active', verified: true, health: 'degraded' } as const;
  expect(healthOf(active)).toBe('degraded');
  expect(healthOf({ ...active, state: 'paused' })).toBeNull();
  expect(healthOf({ ...active, verified: false })).toBeNull();
});
