import { describe, expect, test } from '@jest/globals';
import { createEventCatalogue } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';
import { findEvents, schemaFields } from './schema-fields.js';

const { events } = createEventCatalogue();
const fieldsOf = (name: string) => schemaFields(events.find((event) => event.name === name)?.schema);

describe('the fields of a schema', () => {
  test('have their full path, type and meaning', () => {
    const fields = fieldsOf('install.schedule_changed');
    expect(fields.map(({ path }) => path)).toEqual([
      'id',
      'event',
      'apiVersion',
      'schemaVersion',
      'occurredAt',
      'resource',
      'resource.type',
      'resource.id',
      'resource.version',
      'data',
      'data.jobId',
      'data.changedBy',
      'data.previousStatus',
      'data.schedule',
      'data.schedule.status',
      'data.schedule.startsAt',
      'data.schedule.endsAt',
      'data.schedule.timeZone',
      'redacted',
    ]);
    const byPath = new Map(fields.map((field) => [field.path, field]));
    expect(byPath.get('event')?.type).toBe('always install.schedule_changed');
    expect(byPath.get('schemaVersion')?.type).toBe('whole number');
    expect(byPath.get('occurredAt')?.type).toBe('date and time');
    expect(byPath.get('data.schedule')?.type).toBe('group of fields');
    expect(byPath.get('data.schedule.startsAt')?.type).toBe('date and time, or null');
    expect(byPath.get('data.changedBy')).toEqual({
      path: 'data.changedBy',
      type: 'one of installer, seller',
      meaning: 'installer: your own company.',
    });
  });

  test('of lists name the type of their items', () => {
    const found = fieldsOf('install.readiness_changed').find(({ path }) => path === 'data.blockerCodes');
    expect(found?.type).toBe('list of text');
    const list = {
      properties: {
        parts: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } },
      },
    };
    expect(schemaFields(list)).toEqual([
      { path: 'parts', type: 'list of group of fields, optional', meaning: '' },
      { path: 'parts[].id', type: 'text, optional', meaning: '' },
    ]);
  });

  test.each(events)('of $name all have a type', ({ schema }) => {
    for (const { path, type } of schemaFields(schema)) expect([path, type]).not.toEqual([path, '']);
  });

  test('of a missing schema are empty', () => {
    expect(schemaFields(null)).toEqual([]);
  });
});

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
  expect(found('blockerCodes')).toContain('install.readiness_changed');
  expect(found('nothing like it')).toEqual([]);
});

test('a class finds only its own events', () => {
  expect(found('', 'INSTALLER')).toContain('install.test');
  expect(found('', 'INSTALLER')).not.toContain('quote.sent');
});
