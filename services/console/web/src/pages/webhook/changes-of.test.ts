import { expect, test } from '@jest/globals';
import { changesOf } from './changes-of.js';

const BEFORE = { url: 'https://a.example/', events: ['install.*', 'quote.sent'], description: 'CRM' };

test('nothing has changed when only the order of events has', () => {
  expect(changesOf(BEFORE, { ...BEFORE, events: ['quote.sent', 'install.*'] })).toEqual({});
});

test.each([
  [{ url: 'https://b.example/' }],
  [{ events: ['install.*'] }],
  [{ events: ['install.*', 'quote.viewed'] }],
  [{ description: '' }],
])('%j alone is sent when it alone has changed', (change) => {
  expect(changesOf(BEFORE, { ...BEFORE, ...change })).toEqual(change);
});
