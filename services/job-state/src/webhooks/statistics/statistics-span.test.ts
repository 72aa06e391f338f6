import { describe, expect, test } from '@jest/globals';
import { bucketsOf } from './statistics-span.js';

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

  test('cover the whole span without an extra bucket', () => {
    expect(bucketsOf(span('2026-03-01T10:04:59.999Z', '2026-03-01T10:05:00.000Z'))).toEqual({
      ...span('2026-03-01T10:00:00.000Z', '2026-03-01T10:05:00.000Z'),
      bucketMinutes: 5,
      trendMinutes: 5,
    });
    expect(bucketsOf(span('2026-03-01T10:05:00.000Z', '2026-03-01T10:05:00.001Z'))).toEqual({
      ...span('2026-03-01T10:05:00.000Z', '2026-03-01T10:10:00.000Z'),
      bucketMinutes: 5,
      trendMinutes: 5,
    });
    expect(bucketsOf(span('2026-03-01T05:59:00.000Z', '2026-03-20T18:00:00.000Z'))).toEqual({
      ...span('2026-03-01T00:00:00.000Z', '2026-03-20T18:00:00.000Z'),
      bucketMinutes: 360,
      trendMinutes: 720,
    });
  });

  test.each([
    ['2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z', 'must be after from'],
    ['2026-03-01T00:00:01.000Z', '2026-03-01T00:00:00.000Z', 'must be after from'],
    ['2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.001Z', 'must be at most 31 days after from'],
  ])('are refused from %s to %s', (from, to, message) => {
    expect(() => bucketsOf(span(from, to))).toThrow(
      expect.objectContaining({ reason: 'invalid_argument', message: `to: ${message}` }),
    );
  });
});
