import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { jobFeedResponse } from '@partner/proto-contracts/resources/feed-entry/feed-entry';
import { eventually } from '@partner/test-kit/eventually';
import { call } from './support/http-call.js';
import { readMetric } from './support/replica-metrics.js';
import { apiKeyOf, startTestStack, type TestStack } from './support/test-stack.js';

const MOVES = 400;

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack({ simulate: 3_000 });
});

afterAll(() => stack.stop());

test('a stack that simulates makes moves automatically, and accepts each of its messages [SANDBOX-1]', async () => {
  const count = async () => {
    const [row] = (
      await stack.database.query<{ dead: number; waiting: number; settled: number }>(
        `select count(*) filter (where dead_reason is not null)::integer as dead,
           count(*) filter (where prerequisite_id is not null)::integer as waiting,
           count(*) filter (where settled_at is not null)::integer as settled from inbox`,
      )
    ).rows;
    return row ?? { dead: 0, waiting: 0, settled: 0 };
  };
  const kindsOfEvents = async () => {
    const found = await stack.database.query<{ names: number }>(
      `select count(distinct name)::integer as names from events where created_at > now() - interval '10 minutes'`,
    );
    return found.rows[0]?.names ?? 0;
  };
  await eventually(
    'messages of the platform that make events of many kinds',
    async () => (await count()).settled >= MOVES && (await kindsOfEvents()) > 10,
    { timeoutMs: 240_000 },
  );
  await stack.stack.process('simulator').stop();
  await eventually('the end of what waits', async () => (await count()).waiting === 0);
  expect((await count()).dead).toBe(0);
  const { adminUrl } = stack.stack.description.services['job-state'] ?? { adminUrl: '' };
  const refused = await readMetric(adminUrl, 'partner_platform_messages_total', { result: 'refused' });
  expect(refused).toBe(0);

  const headers = { 'x-api-key': apiKeyOf(stack.company('INSTALLER'), 'installer-company') };
  const feed = await call(stack.baseUrl, '/partner/v1/jobs?limit=100', { headers });
  const { resources } = jobFeedResponse.parse(feed.json);
  expect(resources.some(({ resource }) => resource.status !== 'ASSIGNED')).toBe(true);
});
