import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { JobAssignedSchema } from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import { jobFeedResponse } from '@partner/proto-contracts/public-api/installer-job';
import { newId } from '@partner/kernel/ids';
import { assertNever, invariant } from '@partner/kernel/invariant';
import type { TestStack } from '../support/test-stack.js';
import { createWriteComposer } from './compose-write.js';
import { followFeed } from './follow-feed.js';
import type {
  Caller,
  Following,
  History,
  Read,
  Sending,
  PublishedAssignment,
  WriteRequest,
} from './history.js';
import { createKnowledge } from './knowledge.js';
import type { Markers } from './markers.js';
import type {
  ContractorStep,
  GeneralStep,
  InstallerStep,
  OpeningStep,
  Plan,
  PlannedKill,
  ReplayStep,
} from './plan.js';
import type { Platform } from './platform.js';
import { sendRead, sendWrite } from './send-request.js';
import type { World } from './world.js';

/** What a run found out by itself, besides the history: what else was done to the service. */
export interface RunOutcome {
  readonly history: Omit<History, 'heard'>;
  readonly killed: readonly string[];
}

/**
 * Carries a plan out on a real stack: its opening, then all clients at once, each doing its steps one after another. Followers
 * read the feeds, the platform gives jobs to other companies, and processes are killed and started again meanwhile. Resolves when all writes
 * are answered, all processes are ready, and every follower has read to the end.
 */
export async function runPlan(
  deps: {
    readonly stack: Pick<TestStack, 'stack' | 'baseUrl'>;
    readonly platform: Pick<Platform, 'tell'>;
    readonly markers: Markers;
    /** Resolves once the service has dealt with messages of the platform. */
    readonly messagesAreSettled: (messageIds: readonly string[]) => Promise<void>;
  },
  world: World,
  plan: Plan,
): Promise<RunOutcome> {
  const { baseUrl } = deps.stack;
  const unknownJobId = newId('job');
  const knowledge = createKnowledge(world, deps.markers, unknownJobId);
  const compose = createWriteComposer({ world, knowledge, markers: deps.markers });
  const progress = createProgress();
  const uncertainTries = createProgress();
  const sendings: Sending[] = [];
  const reads: Read[] = [];
  const followings: Following[] = [];
  const assignments: PublishedAssignment[] = [...world.assignments];
  const killed: string[] = [];
  let ids = 0;

  async function send(request: WriteRequest, reordered = false): Promise<void> {
    knowledge.noteRequest(request);
    const id = (ids += 1);
    const body = reordered ? Object.fromEntries(Object.entries(request.body).reverse()) : request.body;
    const tries = await sendWrite(baseUrl, request, body, () => uncertainTries.advance());
    sendings.push({ id, request, tries });
    const answer = tries.at(-1)?.answer;
    if (answer !== undefined) knowledge.noteAnswer(request, answer);
    progress.advance();
  }

  /** A request without a key is another one each time. */
  async function sendCopies(copies: number, composeOne: () => WriteRequest): Promise<void> {
    const first = composeOne();
    const others = Array.from({ length: copies - 1 }, () => (first.key === undefined ? composeOne() : first));
    await Promise.all([first, ...others].map((request) => send(request)));
  }

  async function read(caller: Caller, path: string, what: Read['what']): Promise<void> {
    const id = (ids += 1);
    const { sentAt, endedAt, answer } = await sendRead(baseUrl, path, { 'x-api-key': caller.apiKey });
    reads.push({ id, caller, path, what, sentAt, endedAt, answer });
    if (what.kind === 'job' && answer.status === 200) knowledge.noteVersion(what.jobId, answer.text);
    if (what.kind === 'latest' && answer.status === 200) {
      const cursor = jobFeedResponse.safeParse(JSON.parse(answer.text)).data?.nextCursor ?? undefined;
      if (cursor !== undefined) knowledge.noteCursor(caller.companyId, cursor);
    }
    progress.advance();
  }

  async function replay(caller: Caller, step: Omit<ReplayStep, 'step'>): Promise<void> {
    const requests = knowledge.requests(caller);
    const earlier = requests[step.index % Math.max(requests.length, 1)];
    if (earlier === undefined) return;
    const { elsewhere } = step;
    const again = {
      ...(elsewhere === undefined
        ? earlier
        : compose.elsewhere(earlier, knowledge.choose(caller, elsewhere))),
      caller,
    };
    await Promise.all(Array.from({ length: step.copies }, () => send(again, step.reordered)));
  }

  async function doInstallerStep(caller: Caller, step: InstallerStep): Promise<void> {
    switch (step.step) {
      case 'write job': {
        const jobId = knowledge.choose(caller, step.job);
        return sendCopies(step.copies, () => compose.change(caller, jobId, step.change, step));
      }
      case 'race': {
        const jobId = knowledge.choose(caller, step.job);
        const given = { version: 'current', key: { from: 'fresh' }, unknownFields: false } as const;
        const requests = step.changes.map((change) => compose.change(caller, jobId, change, given));
        await Promise.all(requests.map((request) => send(request)));
        return;
      }
      case 'sweep': {
        const given = { version: 'current', key: { from: 'fresh' }, unknownFields: false } as const;
        const places = step.changes.map((_, place) => ({ own: true, index: step.first + place }));
        const jobIds = new Set(places.map((place) => knowledge.choose(caller, place)));
        const requests = [...jobIds].flatMap((jobId, place) => {
          const change = step.changes[place];
          return change === undefined ? [] : [compose.change(caller, jobId, change, given)];
        });
        await Promise.all(requests.map((request) => send(request)));
        return;
      }
      case 'replay':
        return replay(caller, step);
      case 'read job': {
        const jobId = knowledge.choose(caller, step.job);
        return read(caller, `/partner/v1/jobs/${jobId}`, { kind: 'job', jobId });
      }
      case 'read technicians':
        return read(caller, '/partner/v1/technicians', { kind: 'technicians' });
      case 'read latest':
        return read(caller, `/partner/v1/jobs?limit=${step.limit}`, { kind: 'latest', limit: step.limit });
      case 'trespass':
        return trespass(caller, step.job);
      default:
        return assertNever(step);
    }
  }

  async function doGeneralStep(caller: Caller, step: GeneralStep): Promise<void> {
    switch (step.step) {
      case 'lead':
        return sendCopies(step.copies, () => compose.lead(caller, step));
      case 'appointment':
        return sendCopies(step.copies, () => compose.appointment(caller, step));
      case 'replay':
        return replay(caller, step);
      case 'trespass':
        return trespass(caller, step.job);
      default:
        return assertNever(step);
    }
  }

  async function doContractorStep(callers: readonly [Caller, Caller], step: ContractorStep): Promise<void> {
    switch (step.step) {
      case 'note': {
        const caller = step.bound === 0 ? callers[0] : callers[1];
        const jobId = knowledge.choose(caller, step.job);
        return sendCopies(step.copies, () => compose.note(caller, jobId, step));
      }
      case 'list jobs': {
        const caller = step.bound === 0 ? callers[0] : callers[1];
        return read(caller, `/inbound/jobs?take=${step.take}`, { kind: 'contractor jobs', take: step.take });
      }
      case 'replay':
        return replay(step.bound === 0 ? callers[0] : callers[1], step);
      case 'trespass':
        return trespass(callers[0], step.job);
      default:
        return assertNever(step);
    }
  }

  /** Calls what the kind of the key is not for. */
  async function trespass(caller: Caller, job: { own: boolean; index: number }): Promise<void> {
    const jobId = knowledge.choose(caller, job);
    const key = { from: 'fresh' } as const;
    const isInstaller = caller.kind === 'installer-company';
    const isContractor = caller.kind === 'installer-contractor';
    const jobPath = isInstaller ? '/inbound/jobs' : `/partner/v1/jobs/${jobId}`;
    const status = compose.change(
      caller,
      jobId,
      { change: 'status', allowed: true, to: 0, blocker: 'OTHER', note: true, fault: 'none' },
      { version: 'current', key, unknownFields: false },
    );
    const cursor = isInstaller ? knowledge.foreignCursor(caller.companyId) : undefined;
    const foreignPage = `/partner/v1/jobs?cursor=${encodeURIComponent(cursor ?? '')}`;
    await Promise.all([
      ...(cursor === undefined ? [] : [read(caller, foreignPage, { kind: 'trespass', status: 400 })]),
      read(caller, jobPath, { kind: 'trespass', status: 401 }),
      ...(isInstaller ? [] : [send(status)]),
      ...(isContractor ? [] : [send(compose.note(caller, jobId, { length: 'short', key }))]),
      ...(caller.kind === 'general'
        ? [read(caller, '/inbound/jobs', { kind: 'trespass', status: 403 })]
        : [send(compose.lead(caller, { place: job.index, spelling: 0, key, unknownFields: false }))]),
    ]);
  }

  async function doAll<Step>(steps: readonly Step[], doStep: (step: Step) => Promise<void>): Promise<void> {
    for (const step of steps) await doStep(step);
  }

  const lastTold = new Map(world.assignments.map(({ jobId, version }) => [jobId, version]));
  async function tellAssignment(planned: Plan['assignments'][number]): Promise<void> {
    const job = world.jobs[planned.job % world.jobs.length];
    const installer = world.installers[planned.installer];
    if (job === undefined || installer === undefined) return;
    const last = lastTold.get(job.id) ?? 0;
    const isLate = planned.form === 'late' && last > 0;
    // Versions have gaps for those that come late.
    const version = isLate ? last - 5 : last + 10;
    if (!isLate) {
      lastTold.set(job.id, version);
      knowledge.assign(job.id, installer.id);
    }
    const message = {
      jobId: job.id,
      version,
      installerCompanyId: installer.id,
      occurredAt: timestampFromDate(new Date()),
    };
    const messageId = newId('evt');
    assignments.push({
      messageId,
      jobId: job.id,
      installerCompanyId: installer.id,
      version,
      sentAt: performance.now(),
    });
    await deps.platform.tell(JobAssignedSchema, message, messageId);
    if (planned.form === 'twice') await deps.platform.tell(JobAssignedSchema, message, messageId);
  }

  async function killAndStart(
    victim: PlannedKill['victim'],
    meanwhile = () => Promise.resolve(),
  ): Promise<void> {
    const process = deps.stack.stack.process(victim);
    await process.kill('SIGKILL');
    killed.push(victim);
    await meanwhile();
    await process.start();
    await process.ready();
  }

  async function doOpeningStep(step: OpeningStep): Promise<void> {
    const { without } = step;
    if (without === undefined) return doStepOf(step);
    const uncertainBefore = uncertainTries.count();
    const done: Promise<void>[] = [];
    await killAndStart(without, async () => {
      done.push(doStepOf(step));
      await uncertainTries.reached(uncertainBefore + 1);
    });
    await Promise.all(done);
  }

  function doStepOf(step: OpeningStep): Promise<void> {
    switch (step.client) {
      case 'installer':
        return doInstallerStep(callerAt(world.installerCallers, step.place), step.does);
      case 'general':
        return doGeneralStep(callerAt(world.generalCallers, step.place), step.does);
      case 'contractor':
        return doContractorStep(callerAt(world.contractorCallers, step.place), step.does);
    }
  }

  /** What everybody sees in the end. */
  async function readAllOnceMore(): Promise<void> {
    for (const caller of world.installerCallers) {
      for (const { id: jobId } of world.jobs)
        await read(caller, `/partner/v1/jobs/${jobId}`, { kind: 'job', jobId });
    }
    for (const caller of world.contractorCallers.flat())
      await read(caller, '/inbound/jobs?take=200', { kind: 'contractor jobs', take: 200 });
  }

  const everyClient = () =>
    Promise.all([
      ...plan.installers.map((steps, place) =>
        doAll(steps, (step) => doInstallerStep(callerAt(world.installerCallers, place), step)),
      ),
      ...plan.generals.map((steps, place) =>
        doAll(steps, (step) => doGeneralStep(callerAt(world.generalCallers, place), step)),
      ),
      ...plan.contractors.map((steps, place) =>
        doAll(steps, (step) => doContractorStep(callerAt(world.contractorCallers, place), step)),
      ),
    ]);
  const clients = doAll(plan.opening, doOpeningStep)
    .then(everyClient)
    .finally(() => progress.finish());

  let writersAreDone = false;
  const disturbances = Promise.all([
    ...plan.assignments.map(async (planned) => {
      await progress.reached(planned.after);
      await tellAssignment(planned);
    }),
    // One after another: a process that is killed while it starts would only make the run longer.
    (async () => {
      for (const { victim, after } of [...plan.kills].sort((a, b) => a.after - b.after)) {
        if ((await progress.reached(after)) === 'over') continue;
        await killAndStart(victim);
      }
    })(),
  ]);
  // Whatever is planned, each company has a reader from the beginning: one that sees every commit as it comes.
  const always = [0, 1].map((company) => ({ company, begins: 'start', limit: 100, after: 0 }) as const);
  const followers = Promise.all(
    [...always, ...plan.followers].map(async ({ company, begins, limit, after }) => {
      await progress.reached(after);
      const caller = callerAt(world.installerCallers, 2 * company);
      followings.push(
        await followFeed({ baseUrl, caller, begins, limit, writersAreDone: () => writersAreDone }),
      );
    }),
  );
  const writers = Promise.all([clients, disturbances])
    .then(() => deps.messagesAreSettled(assignments.map(({ messageId }) => messageId)))
    .finally(() => {
      writersAreDone = true;
    });
  await Promise.all([writers, followers]);
  await readAllOnceMore();
  return { history: { sendings, reads, followings, assignments }, killed };
}

function callerAt<T>(callers: readonly T[], place: number): T {
  const caller = callers[place];
  invariant(caller, 'every planned client has a caller');
  return caller;
}

/** Counts, and lets others wait for a number. */
function createProgress(): {
  advance(): void;
  count(): number;
  finish(): void;
  /** Resolves once so many were counted, or with `over` when there will be no more. */
  reached(count: number): Promise<'reached' | 'over'>;
} {
  let count = 0;
  let isOver = false;
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const check of waiting) check();
  };
  return {
    advance() {
      count += 1;
      wake();
    },
    count: () => count,
    finish() {
      isOver = true;
      wake();
    },
    reached: (wanted) =>
      new Promise((resolve) => {
        const check = () => {
          if (count < wanted && !isOver) return;
          waiting.delete(check);
          resolve(count < wanted ? 'over' : 'reached');
        };
        waiting.add(check);
        check();
      }),
  };
}
