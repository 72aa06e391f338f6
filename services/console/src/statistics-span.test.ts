import { timestampDate } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from '@jest/globals';
import { statisticsSpan } from './statistics-span.js';

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
    const span = statisticsSpan(query, NOW);
    expect([timestampDate(span.from), timestampDate(span.to)]).toEqual([new Date(from), new Date(to)]);
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
