import { expect, test } from '@jest/globals';
import { requestedFailure } from './requested-failure.js';

test.each([
  ['/fail/503/1', { status: 503, times: 1 }],
  ['/fail/500/8/demo', { status: 500, times: 8 }],
  ['/fail/302/2', { status: 302, times: 2 }],
  ['/fail/503', undefined],
  ['/fail/999/1', undefined],
  ['/fail/503/1x', undefined],
  ['/hooks/fail/503/1', undefined],
  ['/', undefined],
])('%s requests %j', (path, failure) => {
  expect(requestedFailure(path)).toEqual(failure);
});
