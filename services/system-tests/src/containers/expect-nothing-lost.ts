import { expect } from '@jest/globals';
import { eventually } from '@partner/test-kit/eventually';
import { checkFeeds } from '../deliveries/check-feeds.js';
import type { TestStack } from '../support/test-stack.js';
import type { LoadReport } from './steady-load.js';

/**
 * Fails unless no client of a load has seen a failure, each acknowledged write is in the feed once and the feed has no gap, each
 * lead and each job of the platform is there, and the subscription at `path` has received each status event exactly once.
 */
export async function expectNothingLost(stack: TestStack, report: LoadReport, path: string): Promise<void> {
  const { failures, reads, writes, leadIds, platformJobIds } = report;
  expect(failures).toEqual([]);
  for (const count of [reads, writes.length, leadIds.length, platformJobIds.length]) {
    expect(count).toBeGreaterThan(0);
  }
  expect(await checkFeeds(stack, writes)).toEqual([]);
  const leads = await stack.database.query('select 1 from leads where id = any($1)', [leadIds]);
  expect(leads.rowCount).toBe(leadIds.length);
  await eventually('the jobs that the platform has assigned are there', async () => {
    const jobs = await stack.database.query(
      'select 1 from jobs where id = any($1) and installer_company_id is not null',
      [platformJobIds],
    );
    return jobs.rowCount === platformJobIds.length;
  });

  const keyOf = (id: string, version: number) => `${id} ${version}`;
  const written = writes.flatMap(({ tells }) =>
    tells.map(({ resourceId, resourceVersion }) => keyOf(resourceId, resourceVersion)),
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
