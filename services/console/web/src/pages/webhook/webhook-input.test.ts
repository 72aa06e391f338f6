import {
  type CatalogueEvent,
  createEventCatalogue,
} from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';
import { describe, expect, test } from '@jest/globals';
import { type EventChoice, groupsFor, isChosen, toggleEvent, toggleGroup } from './webhook-input.js';

const { events } = createEventCatalogue();

function installGroup(): EventChoice {
  const [group] = groupsFor(events, 'INSTALLER');
  if (group === undefined) throw new Error('installers have events');
  return group;
}

function eventNamed(name: string): CatalogueEvent {
  const event = events.find((candidate) => candidate.name === name);
  if (event === undefined) throw new Error(`there is no ${name}`);
  return event;
}

const ASSIGNED = eventNamed('install.job_assigned');
const MOVED = eventNamed('install.status_changed');

describe('the events to choose from', () => {
  test('are those of the class, without tests, which any webhook can receive', () => {
    expect(groupsFor(events, 'INSTALLER').map(({ pattern }) => pattern)).toEqual([
      'install.*',
      'webhook.*',
      'api_key.*',
    ]);
    expect(installGroup().events.map(({ name }) => name)).not.toContain('install.test');
    expect(groupsFor(events, 'SALES').map(({ group }) => group)).not.toContain('install');
    expect(groupsFor(events, 'ACCOUNTING').map(({ about }) => about)).toEqual([
      'journal',
      'webhook',
      'API key',
    ]);
  });
});

describe('a choice', () => {
  const group = installGroup();

  test('of a group replaces its single events, and is removed as a whole', () => {
    const whole = toggleGroup(['install.job_assigned', 'quote.sent'], group);
    expect(whole).toEqual(['quote.sent', 'install.*']);
    expect(group.events.every((event) => isChosen(whole, event))).toBe(true);
    expect(toggleGroup(whole, group)).toEqual(['quote.sent']);
  });

  test('of one event adds or removes only that event', () => {
    const one = toggleEvent([], group, ASSIGNED);
    expect(one).toEqual(['install.job_assigned']);
    const two = toggleEvent(one, group, MOVED);
    expect(two).toEqual(['install.job_assigned', 'install.status_changed']);
    expect(toggleEvent(two, group, ASSIGNED)).toEqual(['install.status_changed']);
  });

  test('without one event of a whole group names the others', () => {
    const others = toggleEvent(['install.*'], group, ASSIGNED);
    expect(others).toHaveLength(group.events.length - 1);
    expect(others).not.toContain('install.job_assigned');
    expect(others).not.toContain('install.*');
  });
});
