import { isDeepStrictEqual } from 'node:util';
import { type InstallerJob, jobResponse } from '@partner/proto-contracts/public-api/installer-job';
import type { Asked } from './asked.js';
import type { ChainLink } from './chain-link.js';
import { describe } from './check-idempotency.js';
import { messageOf, readPartnerEvent } from './partner-events.js';
import type { FinalState } from './final-state.js';
import type { PartnerEvent, JobWrite, PublishedAssignment } from './history.js';
import { assignedState, type JobState, judge, readinessOf } from './job-model.js';
import type { World, WorldJob } from './world.js';

/** A job's write by its installer, with all that was sent of it. */
export interface RequestedJobWrite {
  readonly asked: Asked;
  readonly write: JobWrite;
}

/** All versions of one job, in order. */
export interface JobChain {
  readonly job: WorldJob;
  readonly links: readonly ChainLink[];
}

/**
 * Puts the versions of each job in order out of the answers of the writes that made them and the assignments by the
 * platform, and lets the rules repeat the history. Faults: a version that two writes have made, or none; a write that the
 * rules refuse; a job that is not shown as the rules make it; an assignment that was not told, or told but not in effect.
 */
export function reconstructChains(
  world: Pick<World, 'jobs' | 'installers'>,
  all: readonly Asked[],
  assignments: readonly PublishedAssignment[],
  final: Pick<FinalState, 'jobs' | 'events'>,
  heard: readonly PartnerEvent[],
): { readonly chains: readonly JobChain[]; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const chains: JobChain[] = [];
  for (const job of world.jobs) {
    const built = buildChain(job, world, all, assignments, final, heard);
    faults.push(...built.faults.map((fault) => `job ${job.id}: ${fault}`));
    if (built.links !== undefined) chains.push({ job, links: built.links });
  }
  return { chains, faults };
}

function buildChain(
  job: WorldJob,
  world: Pick<World, 'installers'>,
  all: readonly Asked[],
  assignments: readonly PublishedAssignment[],
  final: Pick<FinalState, 'jobs' | 'events'>,
  heard: readonly PartnerEvent[],
): { readonly links?: readonly ChainLink[]; readonly faults: readonly string[] } {
  const row = final.jobs.find(({ id }) => id === job.id);
  if (row === undefined) return { faults: ['is gone'] };
  const faults: string[] = [];
  const made = new Map<number, RequestedJobWrite & { readonly shown: InstallerJob | undefined }>();
  for (const asked of all) {
    const { write } = asked.request;
    if (!('expectedVersion' in write) || write.jobId !== job.id || asked.kept?.code !== undefined) continue;
    if (asked.kept === undefined) continue;
    const answer = jobResponse.safeParse(JSON.parse(asked.kept.text));
    if (!answer.success) {
      faults.push(`${describe(asked.sendings[0])}: the answer is no job: ${answer.error.message}`);
      continue;
    }
    const { version } = answer.data.resource;
    const other = made.get(version);
    if (other !== undefined) {
      faults.push(
        `two writes made version ${version}: ${describe(other.asked.sendings[0])} and ${describe(asked.sendings[0])}`,
      );
    }
    made.set(version, { asked, write, shown: answer.data.resource });
  }

  const toldOfJob = assignments.filter(({ jobId }) => jobId === job.id).sort((a, b) => a.version - b.version);
  const given = final.events
    .filter(({ name, resource_id }) => name === 'install.job_assigned' && resource_id === job.id)
    .sort((a, b) => a.resource_version - b.resource_version);
  faults.push(...checkAssignments(row, given, toldOfJob));

  const links: ChainLink[] = [
    { version: 0, state: assignedState(0, null), maker: { kind: 'platform' }, from: -Infinity },
  ];
  const last = row.installer_company_id === null ? 0 : row.version;
  for (let version = 1; version <= last; version += 1) {
    const before = links[version - 1];
    if (before === undefined) break;
    const write = made.get(version) ?? unansweredMaker(job, before, { world, all, heard });
    made.delete(version);
    const assigned = given.filter(({ resource_version }) => resource_version === version);
    const makers = (write === undefined ? 0 : 1) + assigned.length;
    if (makers !== 1) {
      faults.push(`version ${version} was made ${makers} times by what is known`);
      return { faults };
    }
    const [event] = assigned;
    if (event !== undefined) {
      const sentAt = toldOfJob
        .filter(({ installerCompanyId }) => installerCompanyId === event.company_id)
        .map((told) => told.sentAt);
      const state = assignedState(version, event.company_id);
      links.push({
        version,
        state,
        maker: { kind: 'platform' },
        from: Math.max(before.from, Math.min(...sentAt)),
      });
      continue;
    }
    if (write === undefined) continue;
    const { asked } = write;
    const by = describe(asked.sendings[0]);
    const { companyId } = asked.request.caller;
    if (write.write.expectedVersion !== version - 1) {
      faults.push(`${by} named version ${write.write.expectedVersion} and made version ${version}`);
    }
    if (before.state.installerId !== companyId) {
      faults.push(`${by} made version ${version} of a job that its company did not have`);
    }
    const verdict = judge(before.state, write.write, activeTechnicians(world, companyId));
    if (verdict.kind === 'refused') {
      faults.push(`${by} was accepted against the rules (${verdict.code}) and made version ${version}`);
      return { faults };
    }
    const { state } = verdict;
    const from = Math.max(before.from, asked.firstSentAt);
    if (asked.kept !== undefined && asked.kept.knownAt < from) {
      faults.push(`${by} was acknowledged before an earlier version was asked for`);
    }
    if (write.shown !== undefined) {
      faults.push(...shownOtherwise(job, state, write.shown).map((what) => `${by}: ${what}`));
    }
    links.push({
      version,
      state,
      maker: { kind: 'write', asked, write: write.write },
      from,
    });
  }
  for (const [version, { asked }] of made) {
    faults.push(`${describe(asked.sendings[0])} was told version ${version}, which the job does not have`);
  }
  return { links, faults };
}

/**
 * The write that made the version after a link, of those whose answer got lost before the company lost the job: a repeat of
 * it is 404 then. It is the one that the rules allow at that version and that the platform has heard of.
 */
function unansweredMaker(
  job: WorldJob,
  before: ChainLink,
  given: {
    readonly world: Pick<World, 'installers'>;
    readonly all: readonly Asked[];
    readonly heard: readonly PartnerEvent[];
  },
): (RequestedJobWrite & { readonly shown: undefined }) | undefined {
  const { version, state } = before;
  const { installerId } = state;
  if (installerId === null) return undefined;
  const told = given.heard.map(({ type, body }) => readPartnerEvent(type, body));
  for (const asked of given.all) {
    const { write, caller } = asked.request;
    if (!asked.isUnknown || !('expectedVersion' in write)) continue;
    if (write.jobId !== job.id || write.expectedVersion !== version || caller.companyId !== installerId)
      continue;
    const verdict = judge(state, write, activeTechnicians(given.world, installerId));
    if (verdict.kind === 'refused') continue;
    const [message] = messageOf(job.id, before, {
      version: version + 1,
      state: verdict.state,
      maker: { kind: 'write', asked, write },
      from: before.from,
    });
    if (told.some((other) => isDeepStrictEqual(other, message))) return { asked, write, shown: undefined };
  }
  return undefined;
}

/** The assignments that took effect are some of those told, the newest among them, each to another company than before. */
function checkAssignments(
  row: FinalState['jobs'][number],
  given: readonly FinalState['events'][number][],
  told: readonly PublishedAssignment[],
): string[] {
  const faults: string[] = [];
  let place = 0;
  for (const [index, { company_id, resource_version }] of given.entries()) {
    if (index > 0 && given[index - 1]?.company_id === company_id) {
      faults.push(`version ${resource_version} gives the job to the company that has it`);
    }
    while (place < told.length && told[place]?.installerCompanyId !== company_id) place += 1;
    if (place === told.length) {
      faults.push(
        `version ${resource_version} is an assignment to ${company_id} that the platform did not tell of then`,
      );
    }
    place += 1;
  }
  const newest = told.at(-1);
  const isClosed = row.status === 'COMPLETE' || row.status === 'CANCELLED';
  if (newest !== undefined && row.installer_company_id !== newest.installerCompanyId && !isClosed) {
    faults.push(`the newest assignment, to ${newest.installerCompanyId}, is not in effect`);
  }
  return faults;
}

/** The ids of the technicians whom a company can put on jobs. */
function activeTechnicians(world: Pick<World, 'installers'>, companyId: string): ReadonlySet<string> {
  const company = world.installers.find(({ id }) => id === companyId);
  return new Set(
    (company?.technicians ?? []).flatMap(({ membershipId, active }) => (active ? [membershipId] : [])),
  );
}

/** In what a job is shown otherwise than the rules make it. */
export function shownOtherwise(job: WorldJob, state: JobState, shown: InstallerJob): string[] {
  const expected = {
    ...job.shown,
    version: state.version,
    status: state.status,
    schedule: state.schedule,
    readiness: readinessOf(state, job.readiness),
    technicianAssignments: state.membershipIds,
  };
  const found = {
    id: shown.id,
    company: shown.company,
    customer: shown.customer,
    scope: shown.scope,
    documents: shown.documents,
    version: shown.version,
    status: shown.status,
    schedule: shown.schedule,
    readiness: shown.readiness,
    technicianAssignments: shown.technicianAssignments.map(({ membershipId }) => membershipId),
  };
  return isDeepStrictEqual(found, expected)
    ? []
    : [
        `version ${state.version} is shown as ${JSON.stringify(found)} in place of ${JSON.stringify(expected)}`,
      ];
}
