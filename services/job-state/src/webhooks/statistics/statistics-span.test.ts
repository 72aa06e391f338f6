import { describe, expect, test } from '@jest/globals';
import { bucketsOf, statisticsSpan } from './statistics-span.js';

const span = (from: string, to: string) => ({ from: new Date(from), to: new Date(to) });

describe('the buckets of a span', () => {
  test.each([
    ['2026-03-01T00:00:00.000Z', '2026-03-01T04:00:00.000Z', 5, 5],
    ['2026-03-01T00:00:00.000Z', '2026-03-01T04:00:00.001Z', 5, 30],
    ['2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z', 5, 30],
    ['2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.001Z', 60, 180],
    ['2026-03-01T00:00:00.000Z', '2026-03-08T00:00:00.000Z', 60, 180],
    ['2026-03-01T00:00:00.000Z', '2026-03-08T00:00:00.001Z', 360, 720],
    ['2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z', 360, 720],
  ])('from %s to %s have %i minutes, and steps of %i', (from, to, bucketMinutes, trendMinutes) => {
    expect(bucketsOf(span(from, to))).toMatchObject({ bucketMinutes, trendMinutes });
  });

  test.each([
    [
      '2026-03-01T10:04:59.999Z',
      '2026-03-01T10:05:00.000Z',
      '2026-03-01T10:00:00.000Z',
      '2026-03-01T10:05:00.000Z',
    ],
    [
      '2026-03-01T10:05:00.000Z',
      '2026-03-01T10:05:00.001Z',
      '2026-03-01T10:05:00.000Z',
      '2026-03-01T10:10:00.000Z',
    ],
    [
      '2026-03-01T05:59:00.000Z',
      '2026-03-20T18:00:00.000Z',
      '2026-03-01T00:00:00.000Z',
      '2026-03-20T18:00:00.000Z',
    ],
  ])('from %s to %s cover it without an extra bucket: from %s to %s', (from, to, begin, end) => {
    expect(bucketsOf(span(from, to))).toMatchObject(span(begin, end));
  });
});

const NOW = new Date('2026-09-03T12:31:07.412Z');

describe('the span of statistics', () => {
  test.each([
    ['the last 24 hours', {}, '2026-09-02T12:31:07.412Z', '2026-09-03T12:31:07.412Z'],
    ['up to now', { from: '2026-09-01T00:00:00Z' }, '2026-09-01T00:00:00.000Z', '2026-09-03T12:31:07.412Z'],
    [
      'the 24 hours before its end',
      { to: '2026-08-01T06:00:00Z' },
      '2026-07-31T06:00:00.000Z',
      '2026-08-01T06:00:00.000Z',
    ],
    [
      '31 days',
      { from: '2026-08-01T00:00:00Z', to: '2026-09-01T00:00:00Z' },
      '2026-08-01T00:00:00.000Z',
      '2026-09-01T00:00:00.000Z',
    ],
  ])('is %s', (_what, query, from, to) => {
    expect(statisticsSpan(query, NOW)).toEqual(span(from, to));
  });

  test.each([
    [{ from: '2026-09-01T00:00:00Z', to: '2026-09-01T00:00:00Z' }, 'to: must be after from'],
    [{ from: '2026-09-02T00:00:00Z', to: '2026-09-01T00:00:00Z' }, 'to: must be after from'],
    [
      { from: '2026-08-01T00:00:00Z', to: '2026-09-01T00:00:00.001Z' },
      'to: must be at most 31 days after from',
    ],
    [{ from: '2026-09-03T12:31:07.412Z' }, 'from: must be before now'],
    [{ from: '2026-08-03T12:31:07.411Z' }, 'from: must be at most 31 days before now'],
  ])('cannot be %j', (query, message) => {
    expect(() => statisticsSpan(query, NOW)).toThrow(
      expect.objectContaining({ reason: 'invalid_argument', message }),
    );
  });
});
