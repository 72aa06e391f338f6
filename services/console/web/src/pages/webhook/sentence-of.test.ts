import { expect, test } from '@jest/globals';
import { sentenceOf } from './sentence-of.js';

test.each([
  ['must use port 443', 'The address must use port 443.'],
  ['the host has no address', 'The host has no address.'],
  ['Retry.', 'Retry.'],
])('%s becomes %s', (reason, sentence) => {
  expect(sentenceOf(reason, 'The address')).toBe(sentence);
});
