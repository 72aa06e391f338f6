import { expect, test } from '@jest/globals';
import { conditionText, webhookName } from './webhook-facts.js';

test.each([
  ['https://partner.example/hooks', '', 'partner.example/hooks'],
  ['https://partner.example/', '', 'partner.example'],
  ['https://partner.example/hooks', 'Orders', 'Orders'],
])('%s with the description "%s" is named %s', (url, description, name) => {
  expect(webhookName({ url, description })).toBe(name);
});

const QUIET = {
  since: null,
  attempts: null,
  waiting: 0,
  accepted: null,
  missed: null,
  missedAtLeast: false,
} as const;
const now = new Date(2026, 10, 27, 14, 30);
const since = new Date(2026, 10, 27, 13, 32).toISOString();

test.each([
  [{ state: 'active' }, undefined],
  [{ state: 'active', waiting: 1 }, '1 delivery is waiting for a retry'],
  [{ state: 'not_tested' }, 'Not tested yet'],
  [
    { state: 'failing', since, attempts: 12_662, waiting: 1_000 },
    'Failing since 13:32: 12,662 attempts failed, 1,000 or more deliveries are waiting for a retry',
  ],
  [
    { state: 'recovering', accepted: 40, waiting: 124 },
    'Recovering: the last 40 were accepted, 124 still wait',
  ],
  [{ state: 'recovering', accepted: 1, waiting: 1 }, 'Recovering: the last one was accepted, 1 still waits'],
  [{ state: 'recovering', accepted: 0, waiting: 2 }, 'Recovering: 2 still wait'],
  [{ state: 'paused', since, missed: 2_067 }, 'Paused since 13:32. 2,067 events missed so far.'],
  [
    { state: 'paused', since: '2026-11-24T12:00:00Z', missed: 1, missedAtLeast: true },
    expect.stringMatching(/^Paused since Nov 24, .* At least 1 event missed so far\.$/),
  ],
] as const)('of a webhook in the condition %j the console says "%s"', (condition, text) => {
  expect(conditionText({ condition: { ...QUIET, ...condition } }, now)).toEqual(text);
});
