import { expect, test } from '@jest/globals';
import { conditionOf, type KnownOfWebhook } from './condition-of.js';

const at = new Date('2026-11-27T13:32:00Z');
const since = at.toISOString();
const QUIET: KnownOfWebhook = {
  ...{ state: 'active', verified: true, health: 'healthy', failuresInRow: 0, pausedAt: null, inRowSince: at },
  ...{ waiting: 0, failed: 0, accepted: 0, missed: 0, missedAtLeast: false },
};
const PAUSE = { state: 'paused', pausedAt: at, missed: 2_067 } as const;
const OUTAGE = { failuresInRow: 5, failed: 12_662, waiting: 141, health: 'degraded' } as const;
const FIXED = { ...OUTAGE, failuresInRow: 0, accepted: 40, waiting: 124 } as const;

test.each<[rule: string, known: Partial<KnownOfWebhook>, condition: object]>([
  ['accepts', {}, { state: 'active', since: null, waiting: 0 }],
  ['fails now and then', { failuresInRow: 4, waiting: 4 }, { state: 'active', waiting: 4 }],
  ['still has a few retries', { waiting: 4 }, { state: 'active', waiting: 4 }],
  ['fails', OUTAGE, { state: 'failing', since, attempts: 12_662, waiting: 141 }],
  [
    'began to fail before that was recorded',
    { ...OUTAGE, inRowSince: null },
    { state: 'failing', since: null },
  ],
  ['fails only tests', { ...OUTAGE, failed: 0, waiting: 0 }, { state: 'active', attempts: null }],
  ['is fixed', FIXED, { state: 'recovering', since, accepted: 40, waiting: 124, attempts: null }],
  ['was fixed an hour ago', { ...FIXED, health: 'healthy' }, { state: 'recovering', waiting: 124 }],
  ['is fixed, with one retry left', { ...FIXED, waiting: 1 }, { state: 'recovering', waiting: 1 }],
  ['is fixed, with no retry left', { ...FIXED, waiting: 0 }, { state: 'active', accepted: null }],
  ['is paused', { ...OUTAGE, ...PAUSE }, { state: 'paused', since, missed: 2_067, attempts: null }],
  ['is paused for long', { ...PAUSE, missedAtLeast: true }, { state: 'paused', missedAtLeast: true }],
  [
    'is not tested',
    { ...OUTAGE, ...PAUSE, verified: false },
    { state: 'not_tested', since: null, missed: null },
  ],
])('the condition of a webhook that %s [DELIVERY-26]', (_rule, known, condition) => {
  expect(conditionOf({ ...QUIET, ...known })).toMatchObject(condition);
});
