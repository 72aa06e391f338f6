import { expect, test } from '@jest/globals';
import { fromLocalInput, toLocalInput } from './local-time.js';

test('a time survives the conversion to a field and back, to the second', () => {
  const iso = '2026-09-03T13:02:44.000Z';
  expect(toLocalInput(iso)).toMatch(/^2026-09-0\dT\d\d:\d\d:44$/);
  expect(fromLocalInput(toLocalInput(iso))).toBe(iso);
  expect(toLocalInput(undefined)).toBe('');
  expect(fromLocalInput('')).toBeUndefined();
  expect(fromLocalInput('then')).toBeUndefined();
});
