import { describe, expect, test } from '@jest/globals';
import { timeZoneName } from './time-zone-name.js';

describe('a time zone name', () => {
  test.each([
    'America/Chicago',
    'UTC',
    'US/Central',
    'Etc/GMT+5',
    'EST5EDT',
    'America/Argentina/Buenos_Aires',
    'America/Coyhaique',
    'Europe/Kyiv',
  ])('accepts %s [SCHED-4]', (name) => {
    expect(timeZoneName.parse(name)).toBe(name);
  });

  test('accepts every zone that ICU knows [SCHED-4]', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) expect(timeZoneName.parse(name)).toBe(name);
  });

  test.each([
    '',
    '+05:00',
    'Central Time',
    'America/Gotham',
    'America/Chicago ',
    'posix/America/Chicago',
    'Factory',
    'PST',
    'constructor',
  ])('refuses "%s" [SCHED-4]', (name) => {
    expect(timeZoneName.safeParse(name).error?.issues).toMatchObject([
      { message: 'must be an IANA time zone name, written exactly, e.g. America/Chicago' },
    ]);
  });

  test.each([
    ['america/chicago', 'America/Chicago'],
    ['AMERICA/CHICAGO', 'America/Chicago'],
    ['US/pacific', 'US/Pacific'],
    ['utc', 'UTC'],
  ])('refuses "%s" and names the exact spelling %s [SCHED-4]', (name, spelling) => {
    expect(timeZoneName.safeParse(name).error?.issues).toMatchObject([
      { message: `must be an IANA time zone name, written exactly: ${spelling}` },
    ]);
  });
});
