import { expect, jest, test } from '@jest/globals';
import {
  formatAbout,
  formatCountOf,
  formatDuration,
  formatPast,
  formatRelative,
  formatShare,
  fromLocalInput,
  toLocalInput,
} from './format.js';
import { sentenceOf } from '@partner/console/shared/error-sentences';

const NOW = new Date('2026-09-01T12:00:00.000Z');

test.each([
  ['2026-09-01T11:59:59.900Z', 'just now'],
  ['2026-09-01T12:00:00.000Z', 'in a few seconds'],
  ['2026-09-01T12:00:09.000Z', 'in a few seconds'],
  ['2026-09-01T11:59:30.000Z', 'less than a minute ago'],
  ['2026-09-01T12:00:30.000Z', 'in less than a minute'],
  ['2026-09-01T11:57:01.000Z', '2 minutes ago'],
  ['2026-09-01T14:00:00.000Z', 'in 2 hours'],
  ['2026-08-31T11:00:00.000Z', 'yesterday'],
  ['2026-09-02T12:00:00.000Z', 'tomorrow'],
  ['2022-08-02T12:00:00.000Z', '1,491 days ago'],
])('%s is %s', (at, shown) => {
  expect(formatRelative(new Date(at), NOW)).toBe(shown);
});

test('a past time is never shown in the future, even if the service’s clock is ahead', () => {
  expect(formatPast(new Date(NOW.getTime() + 90_000), NOW)).toBe('just now');
  expect(formatPast(new Date(NOW.getTime() - 90_000), NOW)).toBe('1 minute ago');
});

test.each([
  ['en-GB', /1 Sept? 2026.*12:00:00 UTC/],
  ['de', /01\.09\.2026.*12:00:00 UTC/],
])(
  'an exact time has its time zone and reads as the locale of the browser does: %s',
  async (locale, shown) => {
    const { DateTimeFormat } = Intl;
    const browser = jest
      .spyOn(Intl, 'DateTimeFormat')
      .mockImplementation((_none, options) => new DateTimeFormat(locale, { ...options, timeZone: 'UTC' }));
    jest.resetModules();
    const { formatExact } = await import('./format.js');
    expect(formatExact(NOW)).toMatch(shown);
    browser.mockRestore();
  },
);

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_440, '1.4 s'],
  [59_900, '59.9 s'],
  [59_960, '1 min'],
  [600_000, '10 min'],
])('%s ms is %s', (ms, shown) => {
  expect(formatDuration(ms)).toBe(shown);
});

test('an estimate says so, in two digits', () => {
  expect(formatAbout(1_755)).toBe('about 1.8 s');
});

test.each([
  [0, 0, undefined],
  [0, 3, '0%'],
  [1, 3, '33.3%'],
  [9_999, 10_000, '99.9%'],
  [99_999, 100_000, '99.9%'],
  [5, 5, '100%'],
])('%s of %s is %s', (part, total, shown) => {
  expect(formatShare(part, total)).toBe(shown);
});

test('a count has the right noun', () => {
  expect(formatCountOf(1, 'delivery', 'deliveries')).toBe('1 delivery');
  expect(formatCountOf(1_200, 'delivery', 'deliveries')).toBe('1,200 deliveries');
});

test('a time survives the conversion to a field and back, to the second', () => {
  const iso = '2026-09-03T13:02:44.000Z';
  expect(toLocalInput(iso)).toMatch(/^2026-09-0\dT\d\d:\d\d:44$/);
  expect(fromLocalInput(toLocalInput(iso))).toBe(iso);
  expect(toLocalInput(undefined)).toBe('');
  expect(fromLocalInput('')).toBeUndefined();
  expect(fromLocalInput('then')).toBeUndefined();
});

test.each([
  ['must use port 443', 'The address must use port 443.'],
  ['the `host` has no address', 'The host has no address.'],
  ['Retry.', 'Retry.'],
  ['must be public; use `partner-client listen`', 'The address must be public.'],
])('%s becomes %s', (reason, sentence) => {
  expect(sentenceOf(reason, 'The address')).toBe(sentence);
});
