import { jobFeedResponse } from '@partner/proto-contracts/resources/feed-entry/feed-entry';
import { callUntilResponse } from '../support/http-call.js';
import { apiKeyOf, type TestStack } from '../support/test-stack.js';
import type { AcknowledgedWrite } from './delivery-history.js';

/** Reads the feed of each installer company. Returns a violation for each gap, and for each write that is not there once. */
export async function checkFeeds(
  stack: Pick<TestStack, 'baseUrl' | 'companies'>,
  writes: readonly AcknowledgedWrite[],
): Promise<readonly string[]> {
  const violations: string[] = [];
  for (const company of stack.companies('INSTALLER')) {
    const entries = await readFeed(stack.baseUrl, apiKeyOf(company, 'installer-company'));
    for (const [place, { sequence }] of entries.entries()) {
      if (sequence !== place + 1)
        violations.push(`${company.id}: entry ${sequence} comes at place ${place + 1}`);
    }
    const shown = entries.map(({ resource }) => `${resource.id} ${resource.version}`);
    const written = writes
      .filter(({ companyId }) => companyId === company.id)
      .flatMap(({ tells }) =>
        tells.map(({ resourceId, resourceVersion }) => `${resourceId} ${resourceVersion}`),
      );
    for (const version of new Set(written)) {
      const times = shown.filter((other) => other === version).length;
      if (times !== 1) violations.push(`${company.id}: ${version} is in the feed ${times} times`);
    }
  }
  return violations;
}

export async function readFeed(baseUrl: string, apiKey: string) {
  const headers = { 'x-api-key': apiKey };
  const read = async (query: string) =>
    jobFeedResponse.parse(
      (await callUntilResponse(baseUrl, `/partner/v1/jobs?limit=100&${query}`, { headers })).json,
    );
  let page = await read('from=start');
  const entries = [...page.resources];
  while (page.hasMore) {
    page = await read(`cursor=${encodeURIComponent(page.nextCursor ?? '')}`);
    entries.push(...page.resources);
  }
  return entries;
}
