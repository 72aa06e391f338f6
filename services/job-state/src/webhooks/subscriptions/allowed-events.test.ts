import { expect, test } from '@jest/globals';
import { allowedEvents } from './allowed-events.js';

const refused = (paths: readonly string[]) =>
  expect.objectContaining({
    reason: 'invalid_argument',
    attributes: { details: paths.map((path): unknown => expect.objectContaining({ path })) },
  });

test.each([
  ['INSTALLER', ['install.status_changed', 'install.*', 'install.test', 'install.*']],
  ['SALES', ['quote.*', 'project.completed', 'install.test']],
  ['ACCOUNTING', ['journal.*', 'install.test']],
] as const)(
  'a company of class %s may have the events %j, each once [EVENT-8, WEBHOOK-11]',
  (ofClass, events) => {
    expect(allowedEvents(events, ofClass)).toEqual([...new Set(events)]);
  },
);

test.each([
  ['SALES', ['install.*'], ['events.0']],
  ['ACCOUNTING', ['install.*'], ['events.0']],
  ['INSTALLER', ['install.test', 'journal.payout_recorded', 'quote.*'], ['events.1', 'events.2']],
  [
    'INSTALLER',
    ['*', '', 'install', 'install.', '.*', 'INSTALL.*'],
    [0, 1, 2, 3, 4, 5].map((at) => `events.${at}`),
  ],
  ['INSTALLER', ['install.*.x', 'constructor'], ['events.0', 'events.1']],
] as const)(
  'a company of class %s may not have all of %j: %j [EVENT-5, EVENT-8]',
  (ofClass, events, paths) => {
    expect(() => allowedEvents(events, ofClass)).toThrow(refused(paths));
  },
);

test('the error lists what the class may have [EVENT-8]', () => {
  expect(() => allowedEvents(['install.*'], 'SALES')).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(/allowed: quote\.sent, (?!.*install\.\*).*install\.test, .*quote\.\*/),
    }),
  );
});
