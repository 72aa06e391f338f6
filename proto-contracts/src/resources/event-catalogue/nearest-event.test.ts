import { expect, test } from '@jest/globals';
import { isEventName } from './catalogue.js';
import { eventFilter } from './event-filter.js';
import { EVENT_PATTERNS, nearestEvent } from './nearest-event.js';

test.each([
  ['install.job_asigned', 'install.job_assigned'],
  ['Install.Job_Assigned', 'install.job_assigned'],
  ['install_job_assigned', 'install.job_assigned'],
  ['job_assigned', 'install.job_assigned'],
  ['install.', 'install.*'],
  ['instal.*', 'install.*'],
  ['quotes.sent', 'quote.sent'],
])('a filter by %s is refused with the nearest event, %s [EVENT-13]', (name, nearest) => {
  const [issue] = eventFilter.safeParse(name).error?.issues ?? [];
  expect(issue?.message).toBe(
    `must be an event in the catalog, or a group such as install.*; the nearest is ${nearest}`,
  );
});

test('the nearest event is one of those that are known to the caller', () => {
  const known = EVENT_PATTERNS.filter(isEventName);
  expect(nearestEvent('quote.*', known)).toMatch(/^; the nearest is quote\.\w+$/);
  expect(nearestEvent('x'.repeat(100_000))).toMatch(/^; the nearest is /);
  expect(nearestEvent('a', [])).toBe('');
});
