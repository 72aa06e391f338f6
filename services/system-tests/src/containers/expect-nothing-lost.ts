import { expect } from '@jest/globals';
import { checkHistory } from '../deliveries/check-history.js';
import type { SubscriptionHistory } from '../deliveries/delivery-history.js';
import { waitUntilAssigned } from '../support/platform-job.js';
import type { TestStack } from '../support/test-stack.js';
import type { LoadReport } from './steady-load.js';

/** The charts' own; nothing is ever retried here. */
const SETTINGS = { retryBaseMs: 1_000, leaseMs: 30_000, underWayMs: 18_000 };

/** Fails unless the history of a load and of its subscription is that of a service which nothing has interrupted. */
export async function expectNothingLost(
  stack: TestStack,
  report: LoadReport & { readonly beganAt: number },
  subscription: SubscriptionHistory,
): Promise<void> {
  const { reads, partners, platformJobIds, ...history } = report;
  const bookings = history.writes.filter(({ tells }) => tells[0]?.name === 'appointment.booked');
  for (const count of [reads, bookings.length, platformJobIds.length]) expect(count).toBeGreaterThan(0);
  await waitUntilAssigned(stack.database, platformJobIds);
  await stack.deliveriesAreFinished();
  const subscriptions = [subscription];
  const readings = await partners.finish(subscriptions);
  const requests = stack.receiver.received;
  const seen = { ...history, settings: SETTINGS, subscriptions, requests, readings, unsettled: [] };
  expect(await checkHistory(stack.database, seen)).toEqual([]);
}
