import { expect, test } from '@jest/globals';
import { requireConfirmed } from './require-confirmed.js';

const confirmedUntil = new Date('2026-08-26T14:15:00.000Z');

test.each([
  ['2026-08-26T14:14:59.999Z', false],
  ['2026-08-26T14:15:00.000Z', true],
])('at %s a session that is confirmed until 14:15 is refused: %s', (now, isRefused) => {
  const check = () => requireConfirmed({ confirmedUntil }, () => new Date(now));
  if (isRefused) expect(check).toThrow('confirm your password');
  else expect(check).not.toThrow();
});
