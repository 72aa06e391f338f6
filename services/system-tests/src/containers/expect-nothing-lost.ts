import { expect } from '@jest/globals';
import { eventually } from '@partner/test-kit/eventually';
import type { TestStack } from '../support/test-stack.js';
import type { ReceivedWebhook } from '../support/webhook-receiver.js';
import type { LoadReport } from './steady-load.js';

/**
 * Fails unless no client of a load has seen a failure, each write that was acknowledged is in the feed once and the feed has no
 * gap, each lead and each job of the platform is there, and the subscription at `path` has had a webhook of each status event.
 * Resolves to how many webhooks came more than once.
 */
export async function expectNothingLost(
  stack: Pick<TestStack, 'database' | 'receiver'>,
  report: LoadReport,
  path: string,
): Promise<number> {
  expect(report.failures).toEqual([]);
  for (const count of Object.values(report.answers)) expect(count).toBeGreaterThan(0);

  const keyOf = ({ jobId, version }: { readonly jobId: string; readonly version: number }) =>
    `${jobId} ${version}`;
  const written = report.written.map(keyOf).sort();
  const isWritten = new Set(written);
  expect(
    report.feed
      .map(keyOf)
      .filter((key) => isWritten.has(key))
      .sort(),
  ).toEqual(written);
  const sequences = report.feed.map(({ sequence }) => sequence);
  expect(sequences).toEqual(sequences.map((_, place) => (sequences[0] ?? 0) + place));

  const count = async (table: 'leads' | 'jobs', ids: readonly string[]) => {
    const found = await stack.database.query<{ count: number }>(
      table === 'leads'
        ? 'select count(*)::int as count from leads where id = any($1)'
        : 'select count(*)::int as count from jobs where id = any($1) and installer_company_id is not null',
      [ids],
    );
    return found.rows[0]?.count;
  };
  expect(await count('leads', report.leadIds)).toBe(report.leadIds.length);
  await eventually(
    'the jobs that the platform has assigned are there',
    async () => (await count('jobs', report.platformJobIds)) === report.platformJobIds.length,
  );

  const ofWrites = (received: readonly ReceivedWebhook[]) =>
    received.filter(
      (webhook) =>
        webhook.path === path &&
        webhook.envelope.event === 'install.status_changed' &&
        isWritten.has(
          keyOf({ jobId: webhook.envelope.resource.id, version: webhook.envelope.resource.version }),
        ),
    );
  const eventsOf = (received: readonly ReceivedWebhook[]) =>
    new Set(ofWrites(received).map(({ envelope }) => envelope.id));
  await stack.receiver.waitUntil(
    `a webhook for each of the ${written.length} status events`,
    (received) => eventsOf(received).size >= isWritten.size,
  );
  expect(eventsOf(stack.receiver.received).size).toBe(written.length);
  return ofWrites(stack.receiver.received).length - written.length;
}
