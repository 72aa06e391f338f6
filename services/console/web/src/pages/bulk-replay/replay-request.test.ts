import { expect, test } from '@jest/globals';
import { requestOf } from './replay-request.js';

const NOW = new Date('2026-09-03T13:02:44.108Z');
const requested = (query: string) => requestOf(new URLSearchParams(query), NOW);

test('the page begins with what was given up in the last day, or with what its link selects', () => {
  expect(requested('')).toEqual({
    states: ['dead_lettered'],
    from: '2026-09-02T13:02:45.000Z',
    to: '2026-09-03T13:02:45.000Z',
    perMinute: 600,
  });
  expect(requested('status=retry_scheduled')).toMatchObject({
    states: ['retry_scheduled'],
    from: '2026-06-05T13:02:45.000Z',
  });
  const span = { from: '2026-09-03T12:00:00.000Z', to: '2026-09-03T12:30:00.000Z' };
  expect(requested(`event=install.*&${new URLSearchParams(span).toString()}`)).toMatchObject({
    ...span,
    event: 'install.*',
  });
});
