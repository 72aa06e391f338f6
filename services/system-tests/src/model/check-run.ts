import type { ReceivedWebhook } from '../support/webhook-receiver.js';
import { groupByRequest } from './asked.js';
import { checkAppointments } from './check-appointments.js';
import { checkEffects } from './check-effects.js';
import { checkFeeds } from './check-feeds.js';
import { checkPartnerEvents } from './check-partner-events.js';
import { checkIdempotency } from './check-idempotency.js';
import { checkReads, checkRefusals, checkShownJobs } from './check-jobs.js';
import { checkLeads } from './check-leads.js';
import { checkNotes } from './check-notes.js';
import { checkSecrecy } from './check-secrecy.js';
import type { FinalState } from './final-state.js';
import type { History } from './history.js';
import { reconstructChains } from './job-chains.js';
import type { Markers } from './markers.js';
import { collectSightings } from './sightings.js';
import { createTimeline } from './timeline.js';
import type { World } from './world.js';

/** Everything that is known of a run that is over. */
export interface Evidence {
  readonly world: World;
  readonly history: History;
  readonly final: FinalState;
  readonly webhooks: readonly ReceivedWebhook[];
  readonly markers: Markers;
  /** The text that each service has logged in the run, by name. */
  readonly logs: ReadonlyMap<string, string>;
  /** Whether a process of the service was killed in the run. */
  readonly hasKilled: boolean;
}

/** Checks all that a run must hold. Gives every fault, each with what shows it; none for a service that is right. */
export function checkRun({ world, history, final, webhooks, markers, logs, hasKilled }: Evidence): string[] {
  const { sendings, reads, followings, assignments, heard } = history;
  const all = groupByRequest(sendings);
  const { chains, faults } = reconstructChains(world, all, assignments, final, heard);
  const { shown, told } = collectSightings(all, reads, followings);
  const timeline = createTimeline(chains, [...shown, ...told]);
  return [
    ...faults,
    ...checkIdempotency(all, hasKilled),
    ...checkShownJobs(timeline, shown, final),
    ...checkRefusals(world, timeline, all),
    ...checkReads(world, timeline, reads),
    ...checkFeeds(world, timeline, followings, final),
    ...checkLeads(world, all, final),
    ...checkAppointments(all, final),
    ...checkNotes(world, timeline, { all, reads, heard, final }),
    ...checkEffects(world, timeline, final, webhooks),
    ...checkPartnerEvents(chains, world, final, heard),
    ...checkSecrecy({ world, timeline, markers, sendings, reads, followings, webhooks, heard, logs }),
  ];
}
