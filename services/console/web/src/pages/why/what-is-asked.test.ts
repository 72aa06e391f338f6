import { expect, test } from '@jest/globals';
import { askedBy, queryOf, whatIsAsked } from './what-is-asked.js';

test.each([
  [' evt_1 ', { kind: 'event', id: 'evt_1' }],
  ['dlv_1', { kind: 'delivery', id: 'dlv_1' }],
  ['job_1', { kind: 'resource', id: 'job_1' }],
  ['5f0e', { kind: 'resource', id: '5f0e' }],
])('%p is looked up as what it is, and the address keeps it', (text, asked) => {
  expect(whatIsAsked(text)).toEqual(asked);
  const found = whatIsAsked(text);
  expect(found && askedBy(new URLSearchParams(queryOf(found)))).toEqual(asked);
});

test('nothing is looked up for no id', () => {
  expect(whatIsAsked('  ')).toBeUndefined();
  expect(askedBy(new URLSearchParams('resourceId='))).toBeUndefined();
});
