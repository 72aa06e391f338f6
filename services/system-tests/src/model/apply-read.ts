import { contractorJobsResponse } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import { jobResponse } from '@partner/proto-contracts/resources/job/job';
import { jobFeedResponse } from '@partner/proto-contracts/resources/feed-entry/feed-entry';
import { techniciansResponse } from '@partner/proto-contracts/resources/technician/technician';
import type { HttpResponse } from '@partner/test-kit/http-call';
import { expectSame, jobOf, notFound, type RuledWorld, sees, withShownJob } from './expectations.js';
import { stageOf } from './job-rules.js';
import type { Caller, ReadRequest } from './requests.js';
import { feedOf, type FeedState, type ModelState } from './state.js';

/** The state after the response to a read: it shows the state, and texts that no response has shown before. */
export function applyRead(
  world: RuledWorld,
  state: ModelState,
  { caller, what }: ReadRequest,
  answer: HttpResponse,
): ModelState {
  const feed = feedOf(state, caller.companyId);
  switch (what.kind) {
    case 'job': {
      if (!sees(world, state, caller, what.jobId)) return notFound(state, answer);
      expectSame('the status', answer.status, 200);
      const { version } = jobOf(state, what.jobId);
      return withShownJob(world, state, what.jobId, version, jobResponse.parse(answer.json).resource);
    }
    case 'technicians': {
      const { technicians } = techniciansResponse.parse(answer.json);
      expectSame('the technicians', new Set(technicians), new Set(world.technicians.get(caller.companyId)));
      return state;
    }
    case 'newest':
      return withShownPage(world, state, answer, feed.entries.slice(-what.limit));
    case 'after':
      return withShownPage(
        world,
        state,
        answer,
        feed.entries.filter(({ sequence }) => sequence > what.sequence),
      );
    case 'snapshot': {
      const present = [...state.jobs].flatMap(([jobId, { installerId, version }]) =>
        installerId === caller.companyId ? [{ sequence: feed.head, jobId, version }] : [],
      );
      // Its order is that of the ids.
      return withShownPage(
        world,
        state,
        answer,
        present.sort((a, b) => (a.jobId < b.jobId ? -1 : 1)),
      );
    }
    case 'contractor jobs':
      expectListedJobs(world, state, caller, what.take, answer);
      return state;
  }
}

function withShownPage(
  world: RuledWorld,
  state: ModelState,
  answer: HttpResponse,
  entries: FeedState['entries'],
): ModelState {
  expectSame('the status', answer.status, 200);
  const page = jobFeedResponse.parse(answer.json);
  const found = page.resources.map(({ sequence, resource }) => ({
    sequence,
    jobId: resource.id,
    version: resource.version,
  }));
  expectSame('the page', [found, page.hasMore], [entries, false]);
  return page.resources.reduce(
    (next, { resource }) => withShownJob(world, next, resource.id, resource.version, resource),
    state,
  );
}

/** The most recently updated jobs of the seller that its bound installer company has. */
function expectListedJobs(
  world: RuledWorld,
  state: ModelState,
  caller: Caller,
  take: number,
  answer: HttpResponse,
): void {
  const { jobs, hasMore } = contractorJobsResponse.parse(answer.json);
  const visible = [...world.jobs.values()].filter(({ id }) => sees(world, state, caller, id));
  expectSame('the number of jobs', jobs.length, Math.min(take, visible.length));
  expectSame('whether there are more', hasMore, visible.length > take);
  const times = jobs.map(({ lastUpdated }) => lastUpdated);
  expectSame('the order of the jobs', times, times.toSorted().reverse());
  expectSame('the number of different jobs', new Set(jobs.map(({ id }) => id)).size, jobs.length);
  for (const { lastUpdated: _, ...shown } of jobs) {
    const worldJob = visible.find(({ id }) => id === shown.id);
    const job = jobOf(state, shown.id);
    expectSame('a listed job', shown, { ...worldJob?.listed, stage: stageOf(job), installerNote: job.notes });
  }
}
