import { contractorJob } from '@partner/proto-contracts/public-api/contractor-job';
import { LIMITS } from '@partner/proto-contracts/public-api/limits';
import { type Asked, errorCodeOf, parseJson } from './asked.js';
import { describe } from './check-idempotency.js';
import type { FinalState } from './final-state.js';
import { isUncertain } from './history.js';
import { stageOf } from './job-model.js';
import type { Timeline } from './timeline.js';
import type { World, WorldJob } from './world.js';

interface AskedNote {
  readonly asked: Asked;
  readonly note: string;
}

/** A note that was answered, and the notes of the job up to it. */
interface Appended extends AskedNote {
  readonly notes: string;
}

/**
 * Checks the notes of each job (spec: Inbound; decisions: Inbound, job note): what is there in the end is each note that was
 * answered, once, in the order of the commits, and nothing else but notes without a key whose answer got lost, once at most;
 * each answer showed the notes up to its own; a 404 was right, and so was a refusal for length.
 */
export function checkNotes(
  world: Pick<World, 'jobs'>,
  timeline: Timeline,
  all: readonly Asked[],
  final: Pick<FinalState, 'jobs'>,
): string[] {
  const notes = all.flatMap((asked) => {
    const { write } = asked.request;
    return write.kind === 'note' ? [{ asked, jobId: write.jobId, note: write.note }] : [];
  });
  return [
    ...world.jobs.flatMap((job) => {
      const ofJob = notes.filter(({ jobId }) => jobId === job.id);
      const inTheEnd = final.jobs.find(({ id }) => id === job.id)?.installer_note ?? '';
      return checkJob(job, timeline, ofJob, inTheEnd).map((fault) => `notes of job ${job.id}: ${fault}`);
    }),
    ...notes.flatMap(({ asked, jobId }) => checkNotFound(world, timeline, asked, jobId)),
  ];
}

function checkJob(
  job: WorldJob,
  timeline: Timeline,
  notes: readonly AskedNote[],
  inTheEnd: string,
): string[] {
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
    if (asked.kept.code === 'note_limit_reached') {
      faults.push(...checkLimit(asked, note, job, notes).map((fault) => `${by}: ${fault}`));
      if (inTheEnd.includes(note)) faults.push(`${by} was refused, but its note is there`);
      continue;
    }
    const shown = contractorJob.safeParse(parseJson(asked.kept.text)).data;
    if (shown?.id !== job.id || shown.installerNote === null) {
      faults.push(`${by}: the answer is not the job with its note: ${asked.kept.text}`);
      continue;
    }
    const { firstSentAt, kept } = asked;
    const links = timeline.linksBetween(job.id, firstSentAt, kept.knownAt);
    const { boundCompanyId } = kept.caller;
    const isPossible = links.some(
      ({ state }) => state.installerId === boundCompanyId && stageOf(state) === shown.stage,
    );
    if (timeline.chain(job.id) !== undefined && !isPossible) {
      faults.push(`${by}: the job was ${shown.stage}, or the installer's at all, at no time then`);
    }
    appended.push({ asked, note, notes: shown.installerNote });
  }
  appended.sort((a, b) => a.notes.length - b.notes.length);
  let there = job.initialNote ?? '';
  let latest: Appended | undefined;
  for (const entry of appended) {
    const by = describe(entry.asked.sendings[0]);
    const before = withNotes(there, unknown, entry.notes, entry.note);
    if (before === undefined) {
      faults.push(`${by}: ${tail(there)}, then its own note, became ${tail(entry.notes)}`);
    }
    if (latest !== undefined && latest.asked.firstSentAt > (entry.asked.kept?.knownAt ?? Infinity)) {
      faults.push(
        `${by} was answered before ${describe(latest.asked.sendings[0])} was sent, and comes after it`,
      );
    }
    if (latest === undefined || entry.asked.firstSentAt > latest.asked.firstSentAt) latest = entry;
    there = entry.notes;
  }
  if (there !== inTheEnd && withNotes(there, unknown, inTheEnd) === undefined) {
    faults.push(`in the end they are ${tail(inTheEnd)} in place of ${tail(there)}`);
  }
  if (characters(inTheEnd) > LIMITS.installerNoteLength) faults.push('they are longer than they may be');
  return faults;
}

/**
 * Whether `after` is `before`, then some of the notes whose outcome nobody knows, each once, then `own`. Gives `after` when it
 * is.
 */
function withNotes(
  before: string,
  unknown: readonly AskedNote[],
  after: string,
  own?: string,
): string | undefined {
  const expected = own === undefined ? before : append(before, own);
  if (expected === after) return after;
  for (const [place, { note }] of unknown.entries()) {
    const next = append(before, note);
    if (!after.startsWith(next)) continue;
    const others = unknown.filter((_, other) => other !== place);
    if (withNotes(next, others, after, own) !== undefined) return after;
  }
  return undefined;
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
