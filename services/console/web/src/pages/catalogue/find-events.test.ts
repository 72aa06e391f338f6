import { expect, test } from '@jest/globals';
import { createEventCatalogue } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';
import { findEvents } from './find-events.js';

const { events } = createEventCatalogue();

const found = (search: string, forClass?: 'SALES' | 'INSTALLER') =>
  findEvents(events, { search, forClass }).flatMap((group) => group.events.map(({ name }) => name));

test('an empty search finds all events, in groups', () => {
  expect(found('').toSorted()).toEqual(events.map(({ name }) => name).toSorted());
  const groups = findEvents(events, { search: '' }).map(({ group }) => group);
  expect(new Set(groups).size).toBe(groups.length);
});

test('events are found by name, meaning and field, in any case and any order of words', () => {
  expect(found('Schedule_Changed')).toEqual(['install.schedule_changed']);
  expect(found('quote customer opened')).toEqual(['quote.viewed']);
  expect(found('blockerCodes')).toEqual(['install.readiness_changed']);
  expect(found('nothing like it')).toEqual([]);
});

test('a class finds only its own events', () => {
  expect(found('', 'INSTALLER')).toContain('install.test');
  expect(found('', 'INSTALLER')).not.toContain('quote.sent');
});
