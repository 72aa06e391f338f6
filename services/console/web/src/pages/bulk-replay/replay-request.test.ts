import { expect, test } from '@jest/globals';
import { draftViolations, firstDraft, lastDays, requestOf, verbOf } from './replay-request.js';

const NOW = new Date('2026-09-03T13:02:44.108Z');

test('the first draft selects the failed deliveries of the last day', () => {
  expect(requestOf(firstDraft(NOW))).toEqual({
    states: ['dead_lettered'],
    from: '2026-09-02T13:02:45.000Z',
    to: '2026-09-03T13:02:45.000Z',
    perMinute: 600,
  });
});

test('a draft of waiting deliveries covers the longest span, and is called a retry', () => {
  const { states, from, to } = firstDraft(NOW, 'retry_scheduled');
  expect({ states, from, to }).toEqual({
    states: ['retry_scheduled'],
    from: '2026-06-05T13:02:45.000Z',
    to: '2026-09-03T13:02:45.000Z',
  });
  expect(verbOf(states)).toBe('Retry');
  expect(verbOf(['dead_lettered', 'delivered'])).toBe('Replay');
  expect(verbOf(['dead_lettered', 'retry_scheduled'])).toBe('Replay and retry');
});

test('violations of a draft are reported by field', () => {
  const draft = firstDraft(NOW);
  expect(draftViolations(draft)).toEqual({});
  expect(draftViolations({ ...draft, states: [] })).toEqual({ states: 'Choose at least one' });
  expect(draftViolations({ ...draft, from: undefined })).toEqual({ from: 'Enter a time' });
  expect(draftViolations({ ...draft, to: draft.from })).toEqual({ to: 'Must be after the time in From' });
  expect(draftViolations({ ...draft, ...lastDays(90, NOW) })).toEqual({});
  expect(draftViolations({ ...draft, ...lastDays(91, NOW) })).toHaveProperty('to');
  for (const perMinute of [0, 1.5, 60_001, Number.NaN]) {
    expect(draftViolations({ ...draft, perMinute })).toHaveProperty('perMinute');
    expect(requestOf({ ...draft, perMinute })).toBeUndefined();
  }
});
