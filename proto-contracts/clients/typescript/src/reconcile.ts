import type { components } from './gen/schema.js';
import type { PartnerClient } from './partner-client.js';
import { ApiError, PartnerError } from './partner-error.js';
import { eventKey, type Store } from './store.js';

/** An event that was queued to a webhook: its number there, its id and name, and the outcome of its newest delivery. */
export type ManifestEntry = components['schemas']['ManifestEntry'];

export interface ReconcileOptions {
  /** The webhook: the `subscriptionId` of its deliveries. */
  readonly subscriptionId: string;
  /** That of the webhook's receiver, which has recorded there what it has handled. */
  readonly store: Store;
  /** Events that were queued at this time or later. Default: 24 hours before `to`, longer than the attempts of a delivery take. */
  readonly from?: Date;
  /** Events that were queued before this time, at most 31 days after `from`. Default: now. */
  readonly to?: Date;
}

/** What becomes of the events that the receiver has not handled. */
export interface Reconciliation {
  /** Number of events in the manifest. */
  readonly listed: number;
  /** A replay that has been started sends them again. */
  readonly replayed: readonly ManifestEntry[];
  /** Left to the next run: their delivery continues (see `outcome`), another replay runs, or they are too many for one. */
  readonly awaited: readonly ManifestEntry[];
  /** Never sent again: the webhook no longer subscribes to them. The events feed still has them. */
  readonly unsubscribed: readonly ManifestEntry[];
  /**
   * Numbers that the manifest skips. Their events were withdrawn before they were sent, so they never come. A gap of more than a
   * million comes from the restore of a backup. Next to an end of the span, the event of a number can be just outside of it.
   */
  readonly gaps: readonly { readonly first: number; readonly last: number }[];
}

/** Maximum ids of one replay. */
const MOST_REPLAYED = 1_000;
const DAY_MS = 86_400_000;
/** The service continues these deliveries: after a backoff, or once the webhook is active again. */
const UNFINISHED: ReadonlySet<string> = new Set(['pending', 'retry_scheduled', 'held']);

/**
 * Compares the manifest of a webhook with what its receiver has handled, and has the service send the rest again. Once `replayed` and
 * `awaited` are empty, each event of the span that can still be delivered has been handled, so run it regularly, e.g. once an hour. The API key needs the scopes
 * `events:read` and `events:replay`. Events that the store has forgotten are sent, and handled, again.
 */
export async function reconcile(
  client: PartnerClient,
  surface: '/inbound' | '/partner/v1',
  { subscriptionId, store, to = new Date(), from = new Date(to.getTime() - DAY_MS) }: ReconcileOptions,
): Promise<Reconciliation> {
  const numbers: number[] = [];
  const lacking: ManifestEntry[] = [];
  let listed = 0;
  for (let cursor: string | null | undefined; cursor !== null;) {
    const query = { from: from.toISOString(), to: to.toISOString(), ...(cursor !== undefined && { cursor }) };
    const page: components['schemas']['WebhookManifest'] = await client.GET(
      `${surface}/webhooks/{id}/manifest`,
      { params: { path: { id: subscriptionId }, query } },
    );
    if (page.subscriptionId !== subscriptionId)
      throw new PartnerError(`the manifest belongs to ${page.subscriptionId}, not to ${subscriptionId}`);
    listed += page.entries.length;
    for (const entry of page.entries) {
      if (entry.number !== null) numbers.push(entry.number);
      if ((await store.get(eventKey(entry.eventId))) === undefined) lacking.push(entry);
    }
    cursor = page.nextCursor;
  }

  const finished = lacking.filter(({ outcome }) => !UNFINISHED.has(outcome));
  // A replay leaves out what the webhook does not subscribe to; a preview of one event shows whether it does.
  const isSent = new Map<string, boolean>();
  for (const [event, eventId] of new Map(finished.map((entry) => [entry.event, entry.eventId]))) {
    const body = { subscriptionId, eventIds: [eventId] };
    const { webhooks } = await client.POST(`${surface}/events/replay/preview`, { body });
    isSent.set(
      event,
      webhooks.some(({ events }) => events > 0),
    );
  }
  const due = finished.filter(({ event }) => isSent.get(event)).slice(0, MOST_REPLAYED);
  const isStarted = due.length > 0 && (await startReplay(client, surface, { subscriptionId, due }));
  const replayed = isStarted ? due : [];
  const unsubscribed = finished.filter(({ event }) => isSent.get(event) === false);
  const settled = new Set([...replayed, ...unsubscribed]);
  const awaited = lacking.filter((entry) => !settled.has(entry));
  return { listed, replayed, awaited, unsubscribed, gaps: gapsOf(numbers) };
}

/** False: another replay to the webhook runs. */
async function startReplay(
  client: PartnerClient,
  surface: '/inbound' | '/partner/v1',
  { subscriptionId, due }: { readonly subscriptionId: string; readonly due: readonly ManifestEntry[] },
): Promise<boolean> {
  const body = { subscriptionId, eventIds: due.map(({ eventId }) => eventId) };
  try {
    await client.POST(`${surface}/events/replay`, { body });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'replay_in_progress') return false;
    throw error;
  }
}

function gapsOf(numbers: readonly number[]): Reconciliation['gaps'] {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted.flatMap((number, index) => {
    const next = sorted[index + 1] ?? number;
    return next > number + 1 ? [{ first: number + 1, last: next - 1 }] : [];
  });
}
