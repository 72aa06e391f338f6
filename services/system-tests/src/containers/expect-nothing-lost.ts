import { expect } from '@jest/globals';
import { eventually } from '@partner/test-kit/eventually';
import { checkFeeds } from '../deliveries/check-feeds.js';
import { waitUntilAssigned } from '../support/platform-job.js';
import type { TestStack } from '../support/test-stack.js';
import type { LoadReport } from './steady-load.js';

/**
 * Fails unless each acknowledged write is in the feed once and the feed has no gap, each appointment and each job of the platform
 * is there, and the subscription at `path` has received each status event exactly once.
 */
export async function expectNothingLost(stack: TestStack, report: LoadReport, path: string): Promise<void> {
  const { reads, writes, platformJobIds } = report;
  const reported = (event: string) =>
    writes.flatMap(({ tells }) => tells.filter(({ name }) => name === event));
  const appointmentIds = reported('appointment.booked').map(({ resourceId }) => resourceId);
  for (const count of [reads, appointmentIds.length, platformJobIds.length]) {
    expect(count).toBeGreaterThan(0);
  }
  expect(await checkFeeds(stack, writes)).toEqual([]);
  const booked = await stack.database.query('select 1 from appointments where id = any($1)', [
    appointmentIds,
  ]);
  expect(booked.rowCount).toBe(appointmentIds.length);
  await waitUntilAssigned(stack.database, platformJobIds);

  const keyOf = (id: string, version: number) => `${id} ${version}`;
  const written = reported('install.status_changed').map(({ resourceId, resourceVersion }) =>
    keyOf(resourceId, resourceVersion),
  );
  const isWritten = new Set(written);
  const received = () =>
    stack.receiver.received
      .filter((webhook) => webhook.path === path && webhook.envelope.event === 'install.status_changed')
      .map(({ envelope }) => keyOf(envelope.resource.id, envelope.resource.version))
      .filter((key) => isWritten.has(key));
  await eventually('a webhook of each status event', () => new Set(received()).size === isWritten.size);
  expect(received().sort()).toEqual(written.sort());
}
