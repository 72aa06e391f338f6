import { describe, expect, test } from '@jest/globals';
import { retryAfterSeconds } from './retry-after.js';

const now = new Date('2026-09-01T12:00:00.000Z');

describe('retry-after', () => {
  test.each([
    { status: 429, retryAfter: '120', seconds: 120 },
    { status: 503, retryAfter: '1', seconds: 1 },
    { status: 503, retryAfter: ' 30 ', seconds: 30 },
    { status: 503, retryAfter: 'Tue, 01 Sep 2026 12:02:00 GMT', seconds: 120 },
    { status: 429, retryAfter: '21600', seconds: 21_600 },
    { status: 429, retryAfter: '99999999999999999999', seconds: 21_600 },
    { status: 429, retryAfter: 'Fri, 01 Jan 2100 00:00:00 GMT', seconds: 21_600 },
  ])('$retryAfter of a $status requests $seconds s [DELIVERY-14]', ({ status, retryAfter, seconds }) => {
    expect(retryAfterSeconds({ status, retryAfter, now })).toBe(seconds);
  });

  test.each([
    { status: 500, retryAfter: '120' },
    { status: 200, retryAfter: '120' },
    { status: 302, retryAfter: '120' },
    { status: 429, retryAfter: undefined },
    { status: 429, retryAfter: '0' },
    { status: 429, retryAfter: '-5' },
    { status: 429, retryAfter: 'soon' },
    { status: 429, retryAfter: '' },
    { status: 503, retryAfter: 'Tue, 01 Sep 2026 11:59:00 GMT' },
  ])('$retryAfter of a $status requests no delay [DELIVERY-14]', ({ status, retryAfter }) => {
    expect(retryAfterSeconds({ status, retryAfter, now })).toBeUndefined();
  });
});
