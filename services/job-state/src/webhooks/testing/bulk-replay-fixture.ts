import { client, fixture, logger } from './delivery-fixture.js';
import { stepBulkReplay } from '../replay/run-bulk-replays.js';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

const fromNow = (ms: number) => new Date(Date.now() + ms).toISOString();

export function deadLetters() {
  return { states: ['dead_lettered' as const], from: fromNow(-HOUR_MS), to: fromNow(HOUR_MS) };
}

export async function begin(
  of: { readonly companyId: string; readonly subscriptionId: string },
  { selection, perMinute = 60_000 }: { readonly selection?: object; readonly perMinute?: number } = {},
) {
  const replay = await client.createBulkReplay(of, { ...deadLetters(), ...selection, perMinute });
  return { companyId: of.companyId, replayId: replay.id, replay };
}

/** The clock of a service after every event has settled. */
export const later = () => new Date(Date.now() + 300_000);

export const step = (clock = later) => stepBulkReplay({ database: fixture.database, logger, clock });

/** Runs one step of this bulk replay, as if it were due. */
export async function stepOf(replayId: string): Promise<void> {
  const when = `now() + case id when $1 then interval '0' else interval '1 hour' end`;
  await fixture.database.query(
    `update bulk_replays set next_run_at = case when next_step_at is null then ${when} else next_run_at end,
       next_step_at = case when next_step_at is not null then ${when} end
     where state = 'running'`,
    [replayId],
  );
  await step();
}

export async function runToEnd(of: { readonly companyId: string; readonly replayId: string }) {
  for (;;) {
    const replay = await client.getBulkReplay(of);
    if (replay.state !== 'running') return replay;
    await stepOf(of.replayId);
  }
}

/** Whether previous versions of the service leave it alone. */
export async function neverDue(replayId: string): Promise<boolean> {
  const due = await fixture.database.query(
    `select from bulk_replays where id = $1 and next_run_at = 'infinity'`,
    [replayId],
  );
  return due.length === 1;
}

export async function queuedBy(subscriptionId: string, replayId: string) {
  const deliveries = await fixture.deliveriesOf(subscriptionId);
  return deliveries.filter(({ bulk_replay_id }) => bulk_replay_id === replayId);
}

export const eventsOf = (deliveries: readonly { readonly event_id: string }[]) =>
  deliveries.map(({ event_id }) => event_id).sort();
