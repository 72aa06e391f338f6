import { contractorJob } from '@partner/proto-contracts/public-api/contractor-job';
import { jobResponse } from '@partner/proto-contracts/public-api/installer-job';
import { leadCreated, leadMerged } from '@partner/proto-contracts/public-api/lead';
import type { Caller, ReceivedResponse, WriteRequest } from './history.js';
import { assignedState, type JobState } from './job-model.js';
import type { Markers } from './markers.js';
import type { JobChoice } from './plan.js';
import type { World } from './world.js';

/** A lead that a company has been told of. */
export interface KnownLead {
  readonly companyId: string;
  readonly leadId: string;
  readonly projectId: string | undefined;
}

/**
 * What the clients of a run know from answers so far. It only makes the plans' choices likely to be interesting; nothing
 * is judged by it, except which lead a project belongs to: that never changes.
 */
export interface Knowledge {
  /** The newest that any client has seen of a job. */
  job(jobId: string): Pick<JobState, 'version' | 'status'>;
  /** The job that a choice stands for; one that does not exist now and then when the choice is not among the own ones. */
  choose(caller: Caller, choice: JobChoice): string;
  assign(jobId: string, installerId: string): void;
  /** The installer that has a job, as far as the platform has told. */
  installerOf(jobId: string): string | null;
  /** Requests with keys that a company has sent by keys of a kind, the oldest first. */
  requests(caller: Pick<Caller, 'companyId' | 'kind'>): readonly WriteRequest[];
  /** Every idempotency key that a company has sent. */
  keys(companyId: string): readonly string[];
  leads(): readonly KnownLead[];
  /** A cursor that another company was given; undefined when none was yet. */
  foreignCursor(companyId: string): string | undefined;
  noteCursor(companyId: string, cursor: string): void;
  /** Learns from a request that is about to be sent. */
  noteRequest(request: WriteRequest): void;
  /** Learns from an answer. */
  noteAnswer(request: WriteRequest, answer: ReceivedResponse): void;
  noteVersion(jobId: string, text: string): void;
}

/** Starts with what a world begins with. */
export function createKnowledge(
  world: Pick<World, 'jobs'>,
  markers: Pick<Markers, 'register'>,
  unknownJobId: string,
): Knowledge {
  const states = new Map<string, Pick<JobState, 'version' | 'status'>>();
  const installers = new Map(world.jobs.map(({ id, initialInstallerId }) => [id, initialInstallerId]));
  const sent: WriteRequest[] = [];
  const known: KnownLead[] = [];
  const cursors = new Map<string, string>();

  function isOwn(caller: Caller, jobId: string, sellerId: string): boolean {
    const installer = installers.get(jobId) ?? null;
    if (caller.kind === 'installer-company') return installer === caller.companyId;
    return sellerId === caller.companyId && installer === caller.boundCompanyId;
  }

  const knowledge: Knowledge = {
    job: (jobId) => states.get(jobId) ?? assignedState(1, null),
    choose(caller, { own, index }) {
      const owned = world.jobs.filter(({ id, sellerId }) => isOwn(caller, id, sellerId)).map(({ id }) => id);
      const all = [...world.jobs.map(({ id }) => id), unknownJobId];
      const from = own && owned.length > 0 ? owned : all;
      return from[index % from.length] ?? unknownJobId;
    },
    assign: (jobId, installerId) => void installers.set(jobId, installerId),
    installerOf: (jobId) => installers.get(jobId) ?? null,
    requests: ({ companyId, kind }) =>
      sent.filter(
        ({ caller, key }) => caller.companyId === companyId && caller.kind === kind && key !== undefined,
      ),
    keys: (companyId) =>
      sent.flatMap(({ caller, key }) => (caller.companyId === companyId && key !== undefined ? [key] : [])),
    leads: () => known,
    foreignCursor: (companyId) => [...cursors].find(([owner]) => owner !== companyId)?.[1],
    noteCursor: (companyId, cursor) => void cursors.set(companyId, cursor),
    noteRequest: (request) => void sent.push(request),
    noteAnswer({ caller, write }, answer) {
      if (answer.status >= 300) return;
      const json: unknown = JSON.parse(answer.text);
      const visibility = { to: 'company', companyId: caller.companyId } as const;
      if (write.kind === 'lead') {
        const { leadId } = leadCreated.or(leadMerged).parse(json);
        const projectId = leadMerged.safeParse(json).data?.projectId;
        markers.register(leadId, visibility);
        if (projectId !== undefined) markers.register(projectId, visibility);
        known.push({ companyId: caller.companyId, leadId, projectId });
      } else if (write.kind === 'note') {
        contractorJob.parse(json);
      } else if (write.kind !== 'appointment') {
        knowledge.noteVersion(write.jobId, answer.text);
      }
    },
    noteVersion(jobId, text) {
      const parsed = jobResponse.safeParse(JSON.parse(text));
      if (!parsed.success) return;
      const { version, status } = parsed.data.resource;
      if (version > (states.get(jobId)?.version ?? 0)) states.set(jobId, { version, status });
    },
  };
  return knowledge;
}
