import { describe, expect, test } from '@jest/globals';
import { axisStep, chartPoints, chartTicks, fewerPoints, spanNamed, spanUntil } from './statistics-span.js';

const NOW = new Date('2026-09-08T12:34:56.000Z');

test('a span begins at a full hour and is no longer than its name', () => {
  expect(spanUntil('1h', NOW)).toEqual({ from: '2026-09-08T11:35:00.000Z' });
  expect(spanUntil('24h', NOW)).toEqual({});
  expect(spanUntil('7d', NOW)).toEqual({ from: '2026-09-01T13:00:00.000Z' });
  expect(spanUntil('7d', new Date('2026-09-08T12:00:00.000Z'))).toEqual({ from: '2026-09-01T12:00:00.000Z' });
  expect(spanUntil('30d', NOW)).toEqual({ from: '2026-08-09T13:00:00.000Z' });
});

test.each([
  ['7d', '7d'],
  ['1y', '24h'],
  [null, '24h'],
])('the span %s is %s', (name, span) => {
  expect(spanNamed(name)).toBe(span);
});

describe('the points of a chart', () => {
  const bucket = {
    startsAt: '2026-09-08T12:30:00.000Z',
    deliveries: { total: 4, delivered: 2, deadLettered: 1 },
    p50Ms: 80,
    p95Ms: 200,
  };

  test('are all buckets up to now, empty ones too', () => {
    const points = chartPoints({ buckets: [bucket], bucketMinutes: 5 }, '24h', NOW);
    expect(points).toHaveLength(288);
    expect(points[0]?.at.toISOString()).toBe('2026-09-07T12:35:00.000Z');
    expect(points[0]).toMatchObject({ accepted: 0, waiting: 0, p95Ms: null });
    expect(points.at(-1)).toMatchObject({ accepted: 2, waiting: 1, givenUp: 1, p50Ms: 80, p95Ms: 200 });
  });

  test('keep their sums when merged', () => {
    const earlier = { ...bucket, startsAt: '2026-09-08T12:25:00.000Z', p95Ms: 900 };
    const points = chartPoints({ buckets: [earlier, bucket], bucketMinutes: 5 }, '24h', NOW);
    const fewer = fewerPoints(points, 24);
    // The first hour and the last are cut.
    expect(fewer).toHaveLength(25);
    expect(fewer.at(-1)).toMatchObject({ accepted: 4, waiting: 2, p95Ms: 900 });
    expect(fewer.map(({ until }) => until).slice(0, -1)).toEqual(fewer.map(({ at }) => at).slice(1));
    expect(fewerPoints(points, 288)).toEqual(points);
    expect(fewerPoints([], 24)).toEqual([]);
  });

  test.each([
    ['1h', 5, ['11:40', '11:50', '12:00', '12:10', '12:20', '12:30']],
    ['24h', 5, ['16:00', '20:00', '00:00', '04:00', '08:00', '12:00']],
    ['7d', 60, Array.from({ length: 7 }, () => '00:00')],
  ] as const)('have even ticks at round local times in %s', (span, bucketMinutes, times) => {
    const points = fewerPoints(
      chartPoints({ buckets: [], bucketMinutes }, span, new Date(2026, 8, 8, 12, 34)),
      72,
    );
    const ticks = chartTicks(points);
    expect(ticks.map(({ at }) => at.toTimeString().slice(0, 5))).toEqual(times);
    const [gap, ...gaps] = ticks.slice(1).map(({ at }, place) => Number(at) - Number(ticks[place]?.at));
    expect(gaps.every((each) => each === gap)).toBe(true);
  });
});

test.each([
  [0, 1],
  [3, 1],
  [7, 2],
  [187, 50],
  [801, 500],
])('an axis of four steps up to %d has steps of %d', (largest, step) => {
  expect(axisStep(largest, 4)).toBe(step);
});
