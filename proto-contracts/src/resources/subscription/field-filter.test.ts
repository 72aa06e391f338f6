import { expect, test } from '@jest/globals';
import { eventFeedQuery } from '../event-feed/event-feed.js';
import { fieldFilter } from './field-filter.js';

test.each([
  [{ 'install.*': ['schedule.startsAt', 'status'], 'appointment.booked': ['notes'] }, []],
  [{ 'project.*': ['stage', 'completedAt'] }, []],
  [{}, []],
  [{ 'install.*': ['schedule.start'] }, ['install.*.0: must be a field … the nearest is schedule.startsAt']],
  [{ 'install.*': ['technicians'] }, ['install.*.0: must be a field … the nearest is technicianAssignments']],
  [
    { 'install.status': ['status'] },
    ['install.status: must be an event … the nearest is install.status_changed'],
  ],
  [{ 'quote.sent': ['total'] }, ['quote.sent: must be an event … the nearest is']],
  [{ 'install.*': [] }, ['install.*: ']],
])('%j names fields of events, or is refused with the nearest [WEBHOOK-17]', (filter, violations) => {
  const issues = (fieldFilter.safeParse(filter).error?.issues ?? []).map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  );
  expect(issues).toHaveLength(violations.length);
  for (const [index, violation] of violations.entries())
    for (const part of violation.split(' … ')) expect(issues[index]).toContain(part);
});

test('a reader of events names fields of the events that it reads [EVENT-15]', () => {
  const refusalOf = (query: object) => eventFeedQuery.safeParse(query).error?.issues[0]?.message;
  expect(refusalOf({ fields: 'status,stage' })).toBeUndefined();
  expect(refusalOf({ event: 'install.*', fields: 'status,stage' })).toContain('of install.* can name');
  expect(refusalOf({ event: 'quote.sent', fields: 'status' })).toContain('of quote.sent can name');
  expect(refusalOf({ fields: 'status,stat' })).toContain('not "stat"; the nearest is status');
  for (const fields of ['', ',', 'status,']) expect(refusalOf({ fields })).toBeDefined();
});
