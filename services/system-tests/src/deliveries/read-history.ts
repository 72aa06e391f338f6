import { bulkReplayPage } from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import { deliveryPage, deliveryWithAttempts } from '@partner/proto-contracts/resources/delivery/delivery';
import { eventually } from '@partner/test-kit/eventually';
import type { Pool } from 'pg';
import { z } from 'zod';
import type { ShownDelivery, StoredEvent } from './delivery-history.js';
import type { patientOwner } from './patient-calls.js';

type Owner = ReturnType<typeof patientOwner>;

const PAGE = 100;
const READERS = 8;
const UNFINISHED = ['pending', 'retry_scheduled', 'held'] as const;
const BETWEEN_LOOKS_MS = 500;

/** A subscription with the owner who may read it. */
export interface ReadableSubscription {
  readonly id: string;
  readonly owner: Owner;
}

/**
 * Waits until the service itself says that nothing is unfinished. Throws with what is, when that takes longer than
 * `timeoutMs`.
 */
export async function waitUntilFinished(
  subscriptions: readonly ReadableSubscription[],
  database: Pick<Pool, 'query'>,
  timeoutMs: number,
): Promise<void> {
  let left: readonly unknown[] = [];
  await eventually(
    async () => {
      const { rows } = await database.query('select * from deliveries order by id limit 20');
      return `all is finished; left: ${JSON.stringify(left)}\n${JSON.stringify(rows, null, 1)}`;
    },
    async () => {
      const unfinished = await Promise.all(subscriptions.map(firstUnfinished));
      left = unfinished.filter((one) => one !== undefined);
      if (left.length > 0) return false;
      // The console has spoken last, so nothing can be there that it does not show.
      const { rowCount } = await database.query('select 1 from deliveries limit 1');
      return rowCount === 0;
    },
    { timeoutMs, everyMs: BETWEEN_LOOKS_MS },
  );
}

async function firstUnfinished({ id, owner }: ReadableSubscription): Promise<unknown> {
  const replays = await owner.call('GET', `/partner-api/webhooks/${id}/replays?limit=${PAGE}`);
  const running = bulkReplayPage
    .parse(replays.response.json)
    .replays.find(({ state }) => state === 'running');
  if (running !== undefined) return running;
  for (const state of UNFINISHED) {
    const { response } = await owner.call(
      'GET',
      `/partner-api/webhooks/${id}/deliveries?limit=1&status=${state}`,
    );
    const [first] = deliveryPage.parse(response.json).deliveries;
    if (first !== undefined) return first;
  }
  return undefined;
}

/** Reads every delivery of the subscriptions with its attempts from the console. */
export async function readDeliveries(
  subscriptions: readonly ReadableSubscription[],
): Promise<readonly ShownDelivery[]> {
  const lists = await Promise.all(
    subscriptions.map(async ({ id, owner }) => {
      const ids = await readIds(owner, id);
      return ids.map((deliveryId) => ({ owner, deliveryId }));
    }),
  );
  const wanted = lists.flat();
  const read: ShownDelivery[] = [];
  await Promise.all(
    Array.from({ length: READERS }, async () => {
      for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) {
        const { response } = await next.owner.call('GET', `/partner-api/deliveries/${next.deliveryId}`);
        read.push(deliveryWithAttempts.parse(response.json));
      }
    }),
  );
  return read;
}

async function readIds(owner: Owner, subscriptionId: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { response } = await owner.call(
      'GET',
      `/partner-api/webhooks/${subscriptionId}/deliveries?limit=${PAGE}${query}`,
    );
    const page = deliveryPage.parse(response.json);
    ids.push(...page.deliveries.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  return ids;
}

const storedEvent = z.object({
  id: z.string(),
  companyId: z.string(),
  name: z.string(),
  resourceType: z.string(),
  resourceId: z.string(),
  resourceVersion: z.int(),
  body: z.instanceof(Buffer),
});

/** The events of companies that the database holds, but for those with the ids that were there before. */
export async function readEvents(
  database: Pick<Pool, 'query'>,
  companyIds: readonly string[],
  before: ReadonlySet<string>,
): Promise<readonly StoredEvent[]> {
  const { rows } = await database.query(
    `select id, company_id as "companyId", name, resource_type as "resourceType", resource_id as "resourceId",
       resource_version as "resourceVersion", body
     from events where company_id = any($1)`,
    [companyIds],
  );
  return z
    .array(storedEvent)
    .parse(rows)
    .filter(({ id }) => !before.has(id));
}
