import { expect, test } from '@jest/globals';
import { changesOf } from './changes-of.js';

const BEFORE = {
  url: 'https://a.example/',
  events: ['install.*', 'quote.sent'],
  description: 'CRM',
  deliveriesPerSecond: 5,
};

test('another order of events is no change', () => {
  expect(changesOf(BEFORE, { ...BEFORE, events: ['quote.sent', 'install.*'] })).toEqual({});
});

test.each([
  [{ url: 'https://b.example/' }],
  [{ events: ['install.*'] }],
  [{ events: ['install.*', 'quote.viewed'] }],
  [{ description: '' }],
  [{ deliveriesPerSecond: null }],
])('only the changed field is sent: %j', (change) => {
  expect(changesOf(BEFORE, { ...BEFORE, ...change })).toEqual(change);
});
