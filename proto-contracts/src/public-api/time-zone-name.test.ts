import { describe, expect, test } from '@jest/globals';
import { timeZoneName } from './time-zone-name.js';

describe('a time zone name', () => {
  test.each([
    'America/Chicago',
    'UTC',
    'US/Central',
    'Asia/Calcutta',
    'Asia/Kolkata',
    'Etc/GMT+5',
    'EST5EDT',
    'America/Port_of_Spain',
    'America/Argentina/Buenos_Aires',
    'America/Port-au-Prince',
    'GB-Eire',
    'NZ-CHAT',
    'Etc/GMT0',
  ])('takes %s', (name) => {
    expect(timeZoneName.parse(name)).toBe(name);
  });

  test.each([
    '',
    '+05:00',
    '-0600',
    'america/chicago',
    'utc',
    'gmt',
    'us/pacific',
    'asia/kolkata',
    'US/pacific',
    'Central Time',
    'America/Gotham',
    'America/Chicago ',
  ])('refuses "%s"', (name) => {
    expect(timeZoneName.safeParse(name).success).toBe(false);
  });
});
