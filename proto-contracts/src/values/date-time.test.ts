import { describe, expect, test } from '@jest/globals';
import { dateTimeIn, plannedDateTimeIn } from './date-time.js';

describe('an input date-time', () => {
  test.each([
    ['2026-08-26T14:03:00Z', '2026-08-26T14:03:00Z'],
    ['2026-08-26T14:03:00+00:00', '2026-08-26T14:03:00Z'],
    ['2026-08-26t14:03:00z', '2026-08-26T14:03:00Z'],
    ['2026-08-26T14:03:59.123456+00:00', '2026-08-26T14:03:59.123456Z'],
    ['2024-02-29T23:59:59.5Z', '2024-02-29T23:59:59.5Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00Z'],
  ])('accepts %s as %s [HTTP-1, HTTP-17]', (given, taken) => {
    expect(dateTimeIn.parse(given)).toBe(taken);
  });

  test.each([
    '',
    '2026-08-26',
    '2026-08-26T14:03:00',
    '2026-08-26T14:03Z',
    '2026-08-26T14:03:60Z',
    '2026-08-26T24:00:00Z',
    '2026-02-30T14:03:00Z',
    '2026-08-26T14:03:00-00:00',
    '2026-08-26T14:03:00+02:00',
    '2026-08-26 14:03:00Z',
    '2026-08-26T14:03:00Z\n',
    '+002026-08-26T14:03:00Z',
    1_788_000_000,
    null,
  ])('refuses %j [HTTP-17]', (given) => {
    expect(dateTimeIn.safeParse(given).error?.issues).toMatchObject([
      {
        message:
          'must be an ISO 8601 date-time in UTC (Z or +00:00), with seconds 00 to 59, e.g. 2026-08-26T14:03:00Z',
      },
    ]);
  });
});

test('a date-time is accepted if it is one to JavaScript, and stays what it is [HTTP-1, HTTP-17]', () => {
  const upTo = (max: number) => Array.from({ length: max + 1 }, (_, n) => String(n).padStart(2, '0'));
  const days = ['1900', '2000', '2023', '2024'].flatMap((year) =>
    upTo(13).flatMap((month) => upTo(32).map((day) => `${year}-${month}-${day}T14:03:00Z`)),
  );
  const times = upTo(25).flatMap((hour) =>
    upTo(61).flatMap((n) => [`2024-02-29T${hour}:${n}:00Z`, `2024-02-29T${hour}:00:${n}Z`]),
  );
  for (const text of [...days, ...times]) {
    const read = new Date(text);
    const isReal = !Number.isNaN(read.getTime()) && read.toISOString() === text.replace('Z', '.000Z');
    expect([text, dateTimeIn.safeParse(text).data]).toEqual([text, isReal ? text : undefined]);
  }
});

describe('a planned date-time', () => {
  test.each(['2000-01-01T00:00:00Z', '2100-12-31T23:59:59.999+00:00'])('accepts %s [HTTP-17]', (given) => {
    expect(plannedDateTimeIn.safeParse(given).success).toBe(true);
  });

  test.each(['1999-12-31T23:59:59.999Z', '2101-01-01T00:00:00Z', '0004-09-02T15:00:00Z'])(
    'refuses %s for its year [HTTP-17]',
    (given) => {
      expect(plannedDateTimeIn.safeParse(given).error?.issues).toMatchObject([
        { message: 'must be in the years 2000 to 2100' },
      ]);
    },
  );

  test('reports only the form if that is invalid', () => {
    expect(plannedDateTimeIn.safeParse('tomorrow').error?.issues).toHaveLength(1);
  });
});
