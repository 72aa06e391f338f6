import { errorBody } from '@partner/proto-contracts/public-api/error-body';
import {
  type InstallerJob,
  jobResponse,
  jobFeedResponse,
} from '@partner/proto-contracts/public-api/installer-job';
import { type Asked, errorCodeOf, parseJson } from './asked.js';
import type { Following, Read } from './history.js';
import type { Sighting } from './timeline.js';

/** A job as an answer shows it. */
export interface ShownJob extends Sighting {
  readonly companyId: string;
  readonly job: InstallerJob;
  /** The text of the job, for comparison with other answers. */
  readonly text: string;
  readonly from: number;
  readonly where: string;
  /** Whether the answer tells how the job was at the time of an earlier request, or of an earlier change. */
  readonly isPast: boolean;
}

/** Every job that the answers to installers show, and the versions that refusals tell of. */
export function collectSightings(
  all: readonly Asked[],
  reads: readonly Read[],
  followings: readonly Following[],
): { readonly shown: readonly ShownJob[]; readonly told: readonly Sighting[] } {
  const shown: ShownJob[] = [];
  const told: Sighting[] = [];
  for (const { request, sendings, firstSentAt, kept } of all) {
    const { write, caller } = request;
    if (!('expectedVersion' in write)) continue;
    for (const { answer, endedAt } of sendings.flatMap(({ tries }) => tries)) {
      if (answer === undefined) continue;
      if (errorCodeOf(answer) === 'stale_version') {
        const version = errorBody.safeParse(parseJson(answer.text)).data?.currentVersion;
        if (version !== undefined) told.push({ jobId: write.jobId, version, to: endedAt });
      }
      if (answer.status >= 300 || kept === undefined) continue;
      const where = `${request.method} ${request.path} (key ${request.key ?? 'none'})`;
      shown.push(
        ...shownIn(answer.text, jobResponse).map((job) => ({
          ...job,
          companyId: caller.companyId,
          from: firstSentAt,
          to: endedAt,
          where,
          isPast: true,
        })),
      );
    }
  }
  for (const { caller, path, what, answer, sentAt, endedAt, id } of reads) {
    if (answer.status !== 200) continue;
    const jobs =
      what.kind === 'job'
        ? shownIn(answer.text, jobResponse)
        : what.kind === 'latest'
          ? shownIn(answer.text, jobFeedResponse)
          : [];
    const isPast = what.kind === 'latest';
    shown.push(
      ...jobs.map((job) => ({
        ...job,
        companyId: caller.companyId,
        from: sentAt,
        to: endedAt,
        where: `#${id} GET ${path}`,
        isPast,
      })),
    );
  }
  for (const { caller, pages } of followings) {
    for (const { path, answer, sentAt, endedAt } of pages) {
      if (answer.status !== 200) continue;
      shown.push(
        ...shownIn(answer.text, jobFeedResponse).map((job) => ({
          ...job,
          companyId: caller.companyId,
          from: sentAt,
          to: endedAt,
          where: `GET ${path}`,
          isPast: true,
        })),
      );
    }
  }
  return { shown, told };
}

type Answers = typeof jobResponse | typeof jobFeedResponse;

function shownIn(
  text: string,
  schema: Answers,
): readonly Pick<ShownJob, 'jobId' | 'version' | 'job' | 'text'>[] {
  const parsed = schema.safeParse(parseJson(text));
  if (!parsed.success) return [];
  const jobs =
    'resource' in parsed.data
      ? [parsed.data.resource]
      : parsed.data.resources.map(({ resource }) => resource);
  return jobs.map((job) => ({ jobId: job.id, version: job.version, job, text: JSON.stringify(job) }));
}
