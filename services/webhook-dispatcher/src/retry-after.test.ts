import { expect, test } from '@jest/globals';
import { fc } from '@partner/test-kit/fast-check';
import { retryAfterSeconds } from './retry-after.js';

const NOON = Date.parse('2026-09-01T12:00:00Z');
const read = (retryAfter: string | undefined, status = 503) =>
  retryAfterSeconds({ status, retryAfter, now: new Date(NOON + 250) });
const requested = (seconds: number) => (seconds < 1 ? undefined : Math.min(seconds, 6 * 3_600));

/** A date in the three forms of RFC 9110, 5.6.7. */
function httpDates(date: Date): readonly string[] {
  const imf = date.toUTCString();
  const [weekday, day = '', month, year, time] = imf.split(/,? /);
  const name = date.toLocaleDateString('en-US', { weekday: 'long', timeZone: 'UTC' });
  return [
    imf,
    `${name}, ${day}-${month}-${year?.slice(2)} ${time} GMT`,
    `${weekday} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`,
  ];
}

test('seconds or an HTTP date of a 429 or 503 request a delay from 1 s to 6 hours [DELIVERY-14]', () => {
  const near = fc.integer({ min: -9, max: 30_000 });
  const any = fc.oneof(near, fc.integer({ min: -600_000_000, max: 600_000_000 }));
  fc.assert(
    fc.property(any, fc.constantFrom(429, 503), (seconds, status) => {
      for (const text of httpDates(new Date(NOON + seconds * 1_000)))
        expect([text, read(` ${text}`, status)]).toEqual([text, requested(seconds)]);
      if (seconds >= 0) expect(read(`0${seconds} `, status)).toBe(requested(seconds));
    }),
  );
  expect(read('9'.repeat(20))).toBe(requested(Infinity));
});

test('nothing else requests a delay, nor does another status [DELIVERY-14]', () => {
  for (const status of [200, 302, 500]) expect(read('120', status)).toBeUndefined();
  const [date = ''] = httpDates(new Date(NOON + 60_000));
  const others = ['', 'soon', 'soon 2099', '-5', '+5', '1.5', '1e3', '5 s', '120, 120', '2099-01-01'];
  for (const text of [undefined, ...others, `at ${date}`, `${date} (GMT)`])
    expect([text, read(text)]).toEqual([text, undefined]);
});
