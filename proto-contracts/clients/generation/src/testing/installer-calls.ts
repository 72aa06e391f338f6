import { expect } from '@jest/globals';
import { stack } from '@partner/partnerctl/testing/partnerctl-on-stack';
import { eventually } from '@partner/test-kit/eventually';
import { z } from 'zod';

/** Waits until the installer can read a job, or no longer can. */
export async function whenReadable(apiKey: string, id: string, isReadable: boolean): Promise<void> {
  const headers = { 'x-api-key': apiKey };
  const url = new URL(`/partner/v1/jobs/${id}`, stack.description.baseUrl);
  const changed = async () => (await fetch(url, { headers })).ok === isReadable;
  await eventually(`the job ${isReadable ? 'is assigned' : 'has left'}`, changed, { everyMs: 1_000 });
}

/** Blocks and acknowledges a job in turn: an event each. */
export async function changeStatus(apiKey: string, jobId: string, expectedVersion: number): Promise<void> {
  const move =
    expectedVersion % 2 === 1 ? { status: 'ACKNOWLEDGED' } : { status: 'BLOCKED', blockerCode: 'WEATHER' };
  const response = await fetch(
    new URL(`/partner/v1/jobs/${jobId}/status-events`, stack.description.baseUrl),
    {
      method: 'POST',
      headers: {
        ...{ 'x-api-key': apiKey, 'content-type': 'application/json' },
        'idempotency-key': `${jobId}-${expectedVersion}`,
      },
      body: JSON.stringify({ ...move, occurredAt: new Date().toISOString(), expectedVersion }),
    },
  );
  expect({ status: response.status, body: await response.text() }).toMatchObject({ status: 201 });
}

/** The ids of the events that the service has recorded about a job since it was assigned. */
export async function recordedEvents(apiKey: string, jobId: string): Promise<readonly string[]> {
  const page = z.object({
    events: z.array(z.object({ headers: z.object({ 'webhook-id': z.string(), 'x-svc-event': z.string() }) })),
    ...{ nextCursor: z.string(), hasMore: z.boolean() },
  });
  const ids: string[] = [];
  const query = new URLSearchParams({ resourceId: jobId, limit: '100' });
  for (let hasMore = true; hasMore;) {
    const url = new URL(`/partner/v1/events?${query.toString()}`, stack.description.baseUrl);
    const response = await fetch(url, { headers: { 'x-api-key': apiKey } });
    const { events, nextCursor, hasMore: more } = page.parse(await response.json());
    const later = events.filter(({ headers }) => headers['x-svc-event'] !== 'install.job_assigned');
    ids.push(...later.map(({ headers }) => headers['webhook-id']));
    query.set('cursor', nextCursor);
    hasMore = more;
  }
  return ids;
}
