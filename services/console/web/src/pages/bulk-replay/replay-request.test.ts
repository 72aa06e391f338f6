import { expect, test } from '@jest/globals';
import { draftFaults, firstDraft, lastDays, requestOf } from './replay-request.js';

const NOW = new Date('2026-09-03T13:02:44.108Z');

test('a replay begins with the failed deliveries of the last day', () => {
  expect(requestOf(firstDraft(NOW))).toEqual({
    states: ['dead_lettered'],
    from: '2026-09-02T13:02:45.000Z',
    to: '2026-09-03T13:02:45.000Z',
    perMinute: 600,
  });
});

test('what can not be sent is told by field', () => {
  const draft = firstDraft(NOW);
  expect(draftFaults(draft)).toEqual({});
  expect(draftFaults({ ...draft, states: [] })).toEqual({ states: 'Choose at least one' });
  expect(draftFaults({ ...draft, from: undefined })).toEqual({ from: 'Enter a time' });
  expect(draftFaults({ ...draft, to: draft.from })).toEqual({ to: 'Must be after the time in From' });
  expect(draftFaults({ ...draft, ...lastDays(90, NOW) })).toEqual({});
  expect(draftFaults({ ...draft, ...lastDays(91, NOW) })).toHaveProperty('to');
  for (const perMinute of [0, 1.5, 60_001, Number.NaN]) {
    expect(draftFaults({ ...draft, perMinute })).toHaveProperty('perMinute');
    expect(requestOf({ ...draft, perMinute })).toBeUndefined();
  }
});
