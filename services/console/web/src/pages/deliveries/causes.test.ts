import { expect, test } from '@jest/globals';
import { LISTED_DELIVERY_EXAMPLE } from '@partner/proto-contracts/resources/delivery/delivery';
import type { ListedDelivery } from '../../api/hooks.js';
import { causesOf } from './causes.js';

const failed = (
  subscriptionId: string,
  minute: number,
  attempt: Partial<ListedDelivery['lastAttempt']>,
  state: ListedDelivery['state'] = 'retry_scheduled',
): ListedDelivery => ({
  ...{ ...LISTED_DELIVERY_EXAMPLE, subscriptionId, state },
  createdAt: new Date(Date.UTC(2026, 8, 1, 12, minute)).toISOString(),
  lastAttempt: {
    ...LISTED_DELIVERY_EXAMPLE.lastAttempt,
    outcome: 'rejected',
    responseStatus: 503,
    ...attempt,
  },
});

test('failures are grouped by webhook, state and cause, the largest group first, without tests', () => {
  const late = { outcome: 'timed_out', responseStatus: null } as const;
  const causes = causesOf([
    failed('whk_1', 9, late),
    failed('whk_2', 8, {}),
    failed('whk_2', 3, {}),
    failed('whk_2', 5, {}),
    failed('whk_2', 4, {}, 'dead_lettered'),
    { ...failed('whk_2', 7, {}), isTest: true },
  ]);
  expect(causes.map(({ webhookId, outcome, state, count }) => [webhookId, outcome, state, count])).toEqual([
    ['whk_2', 'rejected', 'retry_scheduled', 3],
    ['whk_1', 'timed_out', 'retry_scheduled', 1],
    ['whk_2', 'rejected', 'dead_lettered', 1],
  ]);
  expect(causes[0]).toMatchObject({
    text: 'Your server responded with 503: the application behind it was not available.',
    oldest: '2026-09-01T12:03:00.000Z',
    newest: '2026-09-01T12:08:00.000Z',
  });
});
