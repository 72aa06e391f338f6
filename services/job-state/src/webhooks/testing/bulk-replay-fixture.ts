import { client, fixture, logger } from './delivery-fixture.js';
import { stepBulkReplay } from '../replay/run-bulk-replays.js';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

const fromNow = (ms: number) => new Date(Date.now() + ms).toISOString();

export function deadLetters() {
  return { states: ['dead_lettered' as const], from: fromNow(-HOUR_MS), to: fromNow(HOUR_MS) };
}

/** A company with one subscription and this many deliveries to it, oldest first, in this final state. */
export async function companyWithAll(state: 'delivered' | 'dead_lettered', count: number) {
  const side = await fixture.companyWith(count);
  await fixture.finish(state, ...side.ids);
  return side;
}

export async function begin(
  of: { readonly companyId: string; readonly subscriptionId: string },
  options: { readonly selection?: object; readonly perMinute?: number } = {},
) {
  const { companyId, subscriptionId } = of;
  const replay = await client.createBulkReplay(
    { companyId, subscriptionId },
    { ...deadLetters(), ...options.selection, perMinute: options.perMinute ?? 60_000 },
  );
  return { companyId, replayId: replay.id, replay };
}

/** The clock of a service after every event has settled. */
export const later = () => new Date(Date.now() + 300_000);

export const step = (clock = later) => stepBulkReplay({ database: fixture.database, logger, clock });

/** Runs one step of this bulk replay, as if it were due. */
export async function stepOf(replayId: string): Promise<void> {
  await fixture.database.query(
    `update bulk_replays set
       next_run_at = case when next_step_at is not null then next_run_at when id = $1 then now() else now() + interval '1 hour' end,
       next_step_at = case when next_step_at is not null then case id when $1 then now() else now() + interval '1 hour' end end
     where state = 'running'`,
    [replayId],
  );
  await step();
}

/** Runs the steps of this bulk replay until it finishes. */
export async function runToEnd(of: { readonly companyId: string; readonly replayId: string }) {
  for (;;) {
    const replay = await client.getBulkReplay(of);
    if (replay.state !== 'running') return replay;
    await stepOf(of.replayId);
  }
}

export async function queuedBy(subscriptionId: string, replayId: string) {
  const deliveries = await fixture.deliveriesOf(subscriptionId);
  return deliveries.filter(({ bulk_replay_id }) => bulk_replay_id === replayId);
}

export const eventsOf = (deliveries: readonly { readonly event_id: string }[]) =>
  deliveries.map(({ event_id }) => event_id).sort();
