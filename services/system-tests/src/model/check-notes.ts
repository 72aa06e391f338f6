import { fromBinary } from '@bufbuild/protobuf';
import {
  type JobNoteAdded,
  JobNoteAddedSchema,
} from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import { contractorJob, contractorJobsResponse } from '@partner/proto-contracts/public-api/contractor-job';
import { LIMITS } from '@partner/proto-contracts/public-api/limits';
import { type Asked, errorCodeOf, parseJson } from './asked.js';
import { describe } from './check-idempotency.js';
import type { FinalState } from './final-state.js';
import { type PartnerEvent, isUncertain, type Read } from './history.js';
import type { JobChain } from './job-chains.js';
import { stageOf } from './job-model.js';
import type { Timeline } from './timeline.js';
import type { World, WorldJob } from './world.js';

interface AskedNote {
  readonly asked: Asked;
  readonly note: string;
}

/** A note that was answered, and the notes of the job up to it. */
interface Appended extends AskedNote {
  readonly boundCompanyId: string | undefined;
  readonly notes: string;
  /** The times of the job at which it can have been appended. */
  readonly tenures: readonly Tenure[];
}

/** The time for which one company, or nobody, had a job without a break: the notes begin anew with each. */
interface Tenure {
  readonly installerId: string | null;
  readonly versions: ReadonlySet<number>;
  /** The notes that it began with. */
  readonly initial: string;
}

/** Notes that were answered and follow one another. */
interface Thread {
  readonly initial: string;
  readonly entries: Appended[];
}

/** Which thread was left in which tenure. */
type Placement = ReadonlyMap<Tenure, Thread>;

/** What is known of the notes of one job. */
interface NotesOfJob {
  readonly job: WorldJob;
  readonly tenures: readonly Tenure[];
  readonly threads: readonly Thread[];
  /** Notes that may be there, of which no answer tells. */
  readonly unknown: readonly AskedNote[];
  /** All that can be. */
  readonly placements: readonly Placement[];
  readonly inTheEnd: string;
}

/**
 * Checks the notes of each job (spec: Inbound; decisions: Inbound, job note). They begin anew with each installer that gets the
 * job. What is there in the end is each note that was answered since, once, in the order of the commits, and nothing else but
 * notes whose answer got lost, once at most; each answer showed the notes of its installer up to its own, and each list of
 * jobs those of the time; a 404 was right, and so was a refusal for length. The platform has heard of every note, once.
 */
export function checkNotes(
  world: Pick<World, 'jobs'>,
  timeline: Timeline,
  given: {
    readonly all: readonly Asked[];
    readonly reads: readonly Read[];
    readonly heard: readonly PartnerEvent[];
    readonly final: Pick<FinalState, 'jobs'>;
  },
): string[] {
  const notes = given.all.flatMap((asked) => {
    const { write } = asked.request;
    return write.kind === 'note' ? [{ asked, jobId: write.jobId, note: write.note }] : [];
  });
  const told = new Map(
    given.heard.flatMap(({ messageId, type, body }) =>
      type === JobNoteAddedSchema.typeName ? [[messageId, fromBinary(JobNoteAddedSchema, body)]] : [],
    ),
  );
  return [
    ...world.jobs.flatMap((job) => {
      // A history that is not understood is a fault of its own.
      const chain = timeline.chain(job.id);
      if (chain === undefined) return [];
      const ofJob = notes.filter(({ jobId }) => jobId === job.id);
      const inTheEnd = given.final.jobs.find(({ id }) => id === job.id)?.installer_note ?? '';
      const { faults, known } = understand(chain, timeline, ofJob, inTheEnd);
      const toldOfJob = [...told.values()].filter(({ jobId }) => jobId === job.id);
      return [
        ...faults,
        ...checkEnd(known),
        ...checkTold(known, toldOfJob),
        ...checkLists(known, timeline, given.reads),
      ].map((fault) => `notes of job ${job.id}: ${fault}`);
    }),
    ...notes.flatMap(({ asked, jobId }) => checkNotFound(world, timeline, asked, jobId)),
  ];
}

function tenuresOf({ job, links }: JobChain): Tenure[] {
  const starts = links.filter(({ maker }) => maker.kind === 'platform');
  return starts.map(({ version: from, state }, place) => {
    const until = starts[place + 1]?.version ?? Infinity;
    const versions = links.map(({ version }) => version).filter((one) => one >= from && one < until);
    const isFirst = from === 1 && state.installerId === job.initialInstallerId;
    return {
      installerId: state.installerId,
      versions: new Set(versions),
      initial: isFirst ? (job.initialNote ?? '') : '',
    };
  });
}

/** Puts the notes of a job in order, as far as the answers tell it. */
function understand(
  chain: JobChain,
  timeline: Timeline,
  notes: readonly AskedNote[],
  inTheEnd: string,
): { readonly faults: readonly string[]; readonly known: NotesOfJob } {
  const { job } = chain;
  const tenures = tenuresOf(chain);
  const faults: string[] = [];
  const appended: Appended[] = [];
  const unknown: AskedNote[] = [];
  for (const { asked, note } of notes) {
    const by = describe(asked.sendings[0]);
    if (asked.kept === undefined) {
      if (asked.isUnknown) unknown.push({ asked, note });
      else if (inTheEnd.includes(note)) faults.push(`${by} was refused, but its note is there`);
      continue;
    }
    const { firstSentAt, kept } = asked;
    const { boundCompanyId } = kept.caller;
    if (kept.code === 'note_limit_reached') {
      faults.push(...checkLimit(asked, note, job, notes).map((fault) => `${by}: ${fault}`));
      if (inTheEnd.includes(note)) faults.push(`${by} was refused, but its note is there`);
      continue;
    }
    const shown = contractorJob.safeParse(parseJson(kept.text)).data;
    if (shown?.id !== job.id || shown.installerNote === null) {
      faults.push(`${by}: the answer is not the job with its note: ${kept.text}`);
      continue;
    }
    const links = timeline
      .linksBetween(job.id, firstSentAt, kept.knownAt)
      .filter(({ state }) => state.installerId === boundCompanyId && stageOf(state) === shown.stage);
    if (links.length === 0) {
      faults.push(`${by}: the job was ${shown.stage}, or the installer's at all, at no time then`);
    }
    appended.push({
      asked,
      note,
      boundCompanyId,
      notes: shown.installerNote,
      tenures: tenures.filter(({ versions }) => links.some(({ version }) => versions.has(version))),
    });
  }
  const threads: Thread[] = [];
  for (const entry of appended.sort((a, b) => a.notes.length - b.notes.length)) {
    const by = describe(entry.asked.sendings[0]);
    const goesOn = threads.find(
      ({ entries: [first, ...rest] }) =>
        first?.boundCompanyId === entry.boundCompanyId &&
        follows((rest.at(-1) ?? first)?.notes ?? '', unknown, entry.notes, entry.note),
    );
    if (goesOn !== undefined) {
      const [latest] = [...goesOn.entries].sort((a, b) => b.asked.firstSentAt - a.asked.firstSentAt);
      if (latest !== undefined && latest.asked.firstSentAt > (entry.asked.kept?.knownAt ?? Infinity)) {
        faults.push(
          `${by} was answered before ${describe(latest.asked.sendings[0])} was sent, and comes after it`,
        );
      }
      goesOn.entries.push(entry);
      continue;
    }
    const initial = [...new Set(tenures.map((tenure) => tenure.initial))].find((start) =>
      follows(start, unknown, entry.notes, entry.note),
    );
    if (initial === undefined) {
      faults.push(`${by}: its own note is not the last after what was there: ${tail(entry.notes)}`);
    }
    threads.push({ initial: initial ?? '', entries: [entry] });
  }
  const placements = placementsOf(threads, tenures);
  if (placements.length === 0)
    faults.push('they were not left in times for which their installers had the job');
  return { faults, known: { job, tenures, threads, unknown, placements, inTheEnd } };
}

/** Each thread has a tenure of its own, in which each of its notes can have been appended. */
function placementsOf(threads: readonly Thread[], free: readonly Tenure[]): Placement[] {
  const [thread, ...others] = threads;
  if (thread === undefined) return [new Map()];
  return free
    .filter(
      (tenure) =>
        tenure.initial === thread.initial && thread.entries.every(({ tenures }) => tenures.includes(tenure)),
    )
    .flatMap((tenure) =>
      placementsOf(
        others,
        free.filter((other) => other !== tenure),
      ).map((placement): Placement => new Map([...placement, [tenure, thread]])),
    );
}

/** The notes of a tenure as the last answer told them. */
function lastOf(placement: Placement, tenure: Tenure | undefined): string {
  const thread = tenure === undefined ? undefined : placement.get(tenure);
  return thread?.entries.at(-1)?.notes ?? tenure?.initial ?? '';
}

function checkEnd({ tenures, placements, unknown, inTheEnd }: NotesOfJob): string[] {
  const ends = placements.map((placement) => lastOf(placement, tenures.at(-1)));
  return [
    ...(ends.length === 0 || ends.some((end) => follows(end, unknown, inTheEnd))
      ? []
      : [`in the end they are ${tail(inTheEnd)} in place of ${tail(ends[0] ?? '')}`]),
    ...(characters(inTheEnd) > LIMITS.installerNoteLength ? ['they are longer than they may be'] : []),
  ];
}

/** The platform has heard of each note that is or was there, by the installer that it was left for, and of no other. */
function checkTold(
  { threads, unknown, tenures, inTheEnd }: NotesOfJob,
  told: readonly Pick<JobNoteAdded, 'note' | 'installerCompanyId'>[],
): string[] {
  const answered = threads.flatMap(({ entries }) => entries);
  const about = (note: string, installerId: string | null | undefined) => JSON.stringify([installerId, note]);
  const asked = new Map<string, { readonly note: string; readonly installerId: string }>();
  for (const { note, boundCompanyId: installerId = '' } of answered)
    asked.set(about(note, installerId), { note, installerId });
  for (const {
    note,
    asked: { sendings },
  } of unknown) {
    for (const { request } of sendings) {
      const { boundCompanyId: installerId = '' } = request.caller;
      asked.set(about(note, installerId), { note, installerId });
    }
  }
  const holder = tenures.at(-1)?.installerId;
  const isOnly = tenures.filter(({ installerId }) => installerId !== null).length <= 1;
  const faults = [...asked].flatMap(([key, { note, installerId }]) => {
    const heard = told.filter((one) => about(one.note ?? '', one.installerCompanyId) === key).length;
    const known = answered.filter((one) => about(one.note, one.boundCompanyId) === key).length;
    const there = installerId === holder ? inTheEnd.split(note).length - 1 : 0;
    const lost = unknown.filter(
      (one) =>
        one.note === note &&
        one.asked.sendings.some(({ request }) => request.caller.boundCompanyId === installerId),
    ).length;
    const least = Math.max(known, there);
    const most = isOnly ? least : known + lost;
    return heard >= least && heard <= most
      ? []
      : [`the platform heard ${heard} times of ${tail(note)}, which was left ${least} to ${most} times`];
  });
  return [
    ...faults,
    ...told
      .filter((one) => !asked.has(about(one.note ?? '', one.installerCompanyId)))
      .map(
        ({ note = '' }) => `the platform heard of ${tail(note)}, which nobody has left for that installer`,
      ),
  ];
}

/** A list of jobs shows the notes of the installer's present time with the job: all that were acknowledged, and no others. */
function checkLists(
  { job, tenures, placements, unknown }: NotesOfJob,
  timeline: Timeline,
  reads: readonly Read[],
): string[] {
  return reads.flatMap(({ id, what, caller, answer, sentAt, endedAt }) => {
    if (what.kind !== 'contractor jobs') return [];
    const jobs = contractorJobsResponse.safeParse(parseJson(answer.text)).data?.jobs ?? [];
    const listed = jobs.find((one) => one.id === job.id);
    if (listed === undefined) return [];
    const links = timeline.linksBetween(job.id, sentAt, endedAt);
    const possible = tenures.filter(
      ({ installerId, versions }) =>
        installerId === caller.boundCompanyId && links.some(({ version }) => versions.has(version)),
    );
    const shown = listed.installerNote ?? '';
    const isRight = placements.some((placement) =>
      possible.some((tenure) => {
        const entries = placement.get(tenure)?.entries ?? [];
        const acknowledged = entries.filter(({ asked }) => (asked.kept?.knownAt ?? Infinity) < sentAt);
        return [tenure.initial, ...entries.map(({ notes }) => notes)].some(
          (state) =>
            follows(state, unknown, shown) && state.length >= (acknowledged.at(-1)?.notes ?? '').length,
        );
      }),
    );
    return isRight || placements.length === 0
      ? []
      : [`list #${id} shows ${tail(shown)}, which were the installer's notes at no time then`];
  });
}

/** Whether `after` is `before`, then some of the notes whose outcome nobody knows, each once, then `own`. */
function follows(before: string, unknown: readonly AskedNote[], after: string, own?: string): boolean {
  if ((own === undefined ? before : append(before, own)) === after) return true;
  return unknown.some(({ note }, place) => {
    const next = append(before, note);
    return (
      after.startsWith(next) &&
      follows(
        next,
        unknown.filter((_, other) => other !== place),
        after,
        own,
      )
    );
  });
}

function append(notes: string, note: string): string {
  return notes === '' ? note : `${notes}\n${note}`;
}

/** A refusal for length is right when the notes could have been too long with everything that was on its way. */
function checkLimit(asked: Asked, note: string, job: WorldJob, notes: readonly AskedNote[]): string[] {
  const until = asked.kept?.knownAt ?? Infinity;
  const most = notes
    .filter(
      (other) =>
        other.asked !== asked && other.asked.firstSentAt <= until && other.asked.kept?.status !== 422,
    )
    .filter(({ asked: other }) => other.kept !== undefined || other.isUnknown)
    .reduce((sum, other) => sum + 1 + characters(other.note), characters(job.initialNote ?? ''));
  return most + 1 + characters(note) > LIMITS.installerNoteLength ? [] : ['the notes are not that long'];
}

function checkNotFound(
  world: Pick<World, 'jobs'>,
  timeline: Timeline,
  asked: Asked,
  jobId: string,
): string[] {
  const job = world.jobs.find(({ id }) => id === jobId);
  const { caller, faultStatus } = asked.request;
  if (job === undefined || timeline.chain(jobId) === undefined || faultStatus !== undefined) return [];
  return asked.sendings.flatMap((sending) => {
    const { answer, endedAt } = sending.tries.at(-1) ?? {};
    if (answer === undefined || endedAt === undefined || isUncertain(answer) || answer.status < 300)
      return [];
    const where = `${describe(sending)}: ${answer.status} ${answer.text}`;
    const code = errorCodeOf(answer);
    if (code === 'idempotency_mismatch' || code === 'note_limit_reached') return [];
    if (code !== 'not_found') return [`${where}: no refusal of such a request`];
    const bound = sending.request.caller.boundCompanyId;
    const links = timeline.linksBetween(jobId, sending.tries[0]?.sentAt ?? endedAt, endedAt);
    const isRight =
      job.sellerId !== caller.companyId || links.some(({ state }) => state.installerId !== bound);
    return isRight ? [] : [`${where}: the job was visible all the time`];
  });
}

/** Counts code points, as the limits do. */
function characters(text: string): number {
  return Array.from(text).length;
}

function tail(text: string): string {
  return JSON.stringify(text.slice(-200));
}
