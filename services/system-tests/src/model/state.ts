import type { InstallerJob } from '@partner/proto-contracts/resources/job/job';

/** A job as the rules make it. */
export interface JobState {
  /** 0: no installer company has had it yet. */
  readonly version: number;
  readonly installerId: string | null;
  readonly status: InstallerJob['status'];
  readonly blockerCode: string | null;
  readonly schedule: InstallerJob['schedule'];
  readonly membershipIds: readonly string[];
  readonly notes: string | null;
  /** The newest assignment of the platform. */
  readonly assignment: number;
}

/** One version of a job, and its text once a response has shown it. */
interface JobVersion {
  readonly job: JobState;
  readonly text: string | undefined;
}

/** What an idempotency key keeps. */
export interface KeptOutcome {
  /** Operation and body. */
  readonly binding: string;
  readonly status: number;
  /** Without the request id of an error. */
  readonly text: string;
}

/** The change feed of an installer company. Entries of a job that leaves the company are removed. */
export interface FeedState {
  /** The sequence of the last change. */
  readonly head: number;
  readonly entries: readonly {
    readonly sequence: number;
    readonly jobId: string;
    readonly version: number;
  }[];
}

/** All that the service has to hold. */
export interface ModelState {
  readonly jobs: ReadonlyMap<string, JobState>;
  /** By job and version. */
  readonly versions: ReadonlyMap<string, JobVersion>;
  /** By company and idempotency key. */
  readonly kept: ReadonlyMap<string, KeptOutcome>;
  readonly feeds: ReadonlyMap<string, FeedState>;
}

/** A job that was just given to an installer company, or to none yet. */
export function assignedJob(version: number, installerId: string | null, assignment: number): JobState {
  return {
    version,
    installerId,
    status: 'ASSIGNED',
    blockerCode: null,
    schedule: { status: 'UNSCHEDULED', startsAt: null, endsAt: null, timeZone: null },
    membershipIds: [],
    notes: null,
    assignment,
  };
}

/** The state before anything has happened. */
export function initialState(jobIds: readonly string[]): ModelState {
  return {
    jobs: new Map(jobIds.map((id) => [id, assignedJob(0, null, 0)])),
    versions: new Map(),
    kept: new Map(),
    feeds: new Map(),
  };
}

export function feedOf({ feeds }: ModelState, companyId: string): FeedState {
  return feeds.get(companyId) ?? { head: 0, entries: [] };
}

/** Records a new version of a job: in the feed of its installer company, and out of the feed of the former one. */
export function withVersion(state: ModelState, jobId: string, job: JobState): ModelState {
  const feeds = new Map(state.feeds);
  const former = state.jobs.get(jobId)?.installerId ?? null;
  if (former !== null && former !== job.installerId) {
    const { head, entries } = feedOf(state, former);
    feeds.set(former, { head, entries: entries.filter((entry) => entry.jobId !== jobId) });
  }
  if (job.installerId !== null) {
    const { head, entries } = feedOf(state, job.installerId);
    const entry = { sequence: head + 1, jobId, version: job.version };
    feeds.set(job.installerId, { head: head + 1, entries: [...entries, entry] });
  }
  return {
    ...state,
    feeds,
    jobs: new Map(state.jobs).set(jobId, job),
    versions: new Map(state.versions).set(versionKey(jobId, job.version), { job, text: undefined }),
  };
}

export function versionKey(jobId: string, version: number): string {
  return `${jobId} ${version}`;
}
