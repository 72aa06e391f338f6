import { expect, test } from '@jest/globals';
import type { DeliveryState } from '../../api/hooks.js';
import { orderOf, reachedText, summaryText, type Traced, worstOf } from './trace.js';

const traced = (verdict: Traced['verdict'], ...states: readonly DeliveryState[]) => ({
  verdict,
  deliveries: states.map((state) => ({ delivery: { state } })),
});

test('lists what was not sent first, then what waits, then what was accepted, and counts them', () => {
  const [accepted, waiting] = [traced('queued', 'delivered'), traced('queued', 'retry_scheduled')];
  const [paused, deleted] = [traced('paused'), traced('deleted')];
  const { rows, gone } = orderOf([accepted, deleted, waiting, paused]);
  expect(rows).toEqual([paused, waiting, accepted]);
  expect(gone).toEqual([deleted]);
  expect(reachedText(rows)).toBe('Reached 1 of 3 webhooks: 1 not sent, 1 waiting.');
  expect(reachedText([accepted])).toBe('Reached 1 of 1 webhook.');
});

test('an event has the tone of its worst delivery, and its summary has words for codes', () => {
  expect(worstOf(['delivered', 'retry_scheduled'])).toBe('warn');
  expect(worstOf([])).toBe('quiet');
  expect(summaryText('EN_ROUTE → ON_SITE: NO_ACCESS')).toBe('En route → On site: No access');
  expect(summaryText('12.00 USD')).toBe('12.00 USD');
});
