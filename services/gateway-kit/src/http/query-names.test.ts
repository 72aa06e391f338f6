import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { misspelledNames } from './read-input.js';

const query = z.object({ limit: z.string(), resourceId: z.string() }).superRefine(() => undefined);

test.each([
  ['Limit', 'limit'],
  ['LIMIT', 'limit'],
  ['limit[]', 'limit'],
  ['limit[0]', 'limit'],
  ['limit[gte]', 'limit'],
  ['limit[', 'limit'],
  ['Limit[]', 'limit'],
  ['resourceid', 'resourceId'],
])('the query parameter %s is refused with the hint %s [HTTP-13]', (name, meant) => {
  expect(misspelledNames(query, { [name]: '1', limit: '2' })).toEqual([
    { path: name, message: `must be written ${meant}` },
  ]);
});

test.each(['limit', 'resourceId', 'page', 'limits', '[limit]', 'resource_id', '__proto__', ''])(
  'the query parameter "%s" is not a misspelling [HTTP-13]',
  (name) => {
    expect(misspelledNames(query, Object.fromEntries([[name, '1']]))).toEqual([]);
  },
);

test('an operation without a query has no misspelled names', () => {
  expect(misspelledNames(undefined, { Limit: '1' })).toEqual([]);
});
