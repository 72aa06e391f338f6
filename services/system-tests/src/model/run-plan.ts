import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { JobAssignedSchema } from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import { jobFeedResponse } from '@partner/proto-contracts/resources/feed-entry/feed-entry';
import { callUntilResponse } from '../support/http-call.js';
import type { TestStack } from '../support/test-stack.js';
import { createComposer } from './compose.js';
import { linearise } from './linearise.js';
import type { Burst, Plan, Step } from './plan.js';
import type { Assignment, Outcome, ReadRequest, WriteRequest } from './requests.js';
import { initialState, type ModelState } from './state.js';
import { createWorld, type World } from './world.js';

/**
 * Runs a plan on a stack. Returns the violations: outcomes of a burst that no order of its requests explains. `onOutcome` sees each outcome.
 */
export async function runPlan(
  stack: TestStack,
  plan: Plan,
  onOutcome: (outcome: Outcome) => void,
): Promise<readonly string[]> {
  const world = await createWorld(stack, plan.jobs);
  const run = createRun(stack, world);
  const assignments = plan.jobs.map(({ installer }, job): Step => ({
    step: 'assign',
    job,
    client: installer,
    form: 'once',
  }));
  const bursts: readonly Burst[] = [{ steps: assignments, copies: 1, kill: undefined }, ...plan.bursts];
  for (const [place, burst] of bursts.entries()) {
    const violations = await run.play(burst, onOutcome);
    if (violations.length > 0) return violations.map((violation) => `burst ${place}: ${violation}`);
  }
  return run.readEverything();
}

function createRun(stack: TestStack, world: World) {
  const { baseUrl } = stack;
  const composer = createComposer(world);
  const cursors = new Map<string, { readonly cursor: string; readonly sequence: number }>();
  let state: ModelState = initialState([...world.jobs.keys()]);

  async function send(request: WriteRequest | ReadRequest, isKilling: boolean): Promise<Outcome> {
    const { caller } = request;
    let wasRepeated = isKilling;
    const call = request.kind === 'read' ? {} : { method: request.method, body: request.body };
    const headers = {
      'x-api-key': caller.apiKey,
      ...(request.kind === 'write' && request.key !== undefined ? { 'idempotency-key': request.key } : {}),
    };
    const answer = await callUntilResponse(baseUrl, request.path, { ...call, headers }, () => {
      wasRepeated = true;
    });
    return { request, answer, wasRepeated };
  }

  async function assign(request: Assignment, form: string): Promise<Outcome> {
    const { jobId, installerId, version } = request;
    const message = {
      jobId,
      version,
      installerCompanyId: installerId,
      occurredAt: timestampFromDate(new Date()),
    };
    const id = await stack.publishFromPlatform(JobAssignedSchema, message);
    if (form === 'twice') await stack.publishFromPlatform(JobAssignedSchema, message, id);
    await stack.messagesAreSettled([id]);
    return { request };
  }

  /** The entries of each feed since the observation before. */
  async function observeFeeds(): Promise<Outcome[]> {
    return Promise.all(
      world.installers.map(async (caller) => {
        const { cursor, sequence } = cursors.get(caller.companyId) ?? { cursor: undefined, sequence: 0 };
        const from = cursor === undefined ? 'from=start' : `cursor=${encodeURIComponent(cursor)}`;
        const path = `/partner/v1/jobs?limit=100&${from}`;
        const outcome = await send({ kind: 'read', caller, path, what: { kind: 'after', sequence } }, false);
        const page = 'answer' in outcome ? jobFeedResponse.parse(outcome.answer.json) : undefined;
        const last = page?.resources.at(-1)?.sequence ?? sequence;
        if (typeof page?.nextCursor === 'string') {
          cursors.set(caller.companyId, { cursor: page.nextCursor, sequence: last });
        }
        return outcome;
      }),
    );
  }

  function explain(concurrent: readonly Outcome[], afterwards: readonly Outcome[]): readonly string[] {
    const found = linearise(world, state, concurrent, afterwards);
    if (found.kind === 'unexplained') return found.violations;
    ({ state } = found);
    return [];
  }

  /** The requests of a burst. A write that may be lost needs a key, and a job that may be lost a certain response. */
  function requestsOf({ steps, copies, kill }: Burst) {
    return steps
      .filter(({ step }) => kill === undefined || step !== 'assign')
      .flatMap((step) => {
        const keyed =
          kill !== undefined && 'key' in step && step.key === 'none'
            ? { ...step, key: 'fresh' as const }
            : step;
        const request = composer.compose(state, keyed);
        const times = request?.kind === 'write' && request.key !== undefined ? copies : 1;
        const form = step.step === 'assign' ? step.form : 'once';
        return request === undefined ? [] : Array.from({ length: times }, () => ({ request, form }));
      });
  }

  return {
    async play(burst: Burst, onOutcome: (outcome: Outcome) => void): Promise<readonly string[]> {
      const { kill } = burst;
      const sent = Promise.all(
        requestsOf(burst).map(({ request, form }) =>
          request.kind === 'assignment' ? assign(request, form) : send(request, kill !== undefined),
        ),
      );
      if (kill !== undefined) {
        const victim = stack.stack.process(kill);
        await victim.kill('SIGKILL');
        await victim.start();
        await victim.ready();
      }
      const outcomes = await sent;
      outcomes.forEach(onOutcome);
      return explain(outcomes, await observeFeeds());
    },
    /** Reads every job with every key. */
    async readEverything(): Promise<readonly string[]> {
      const requests: ReadRequest[] = [
        ...world.installers.flatMap((caller) =>
          [...world.jobs.keys()].map((jobId): ReadRequest => ({
            kind: 'read',
            caller,
            path: `/partner/v1/jobs/${jobId}`,
            what: { kind: 'job', jobId },
          })),
        ),
        ...world.contractors.flat().map((caller): ReadRequest => ({
          kind: 'read',
          caller,
          path: '/inbound/jobs?take=200',
          what: { kind: 'contractor jobs', take: 200 },
        })),
      ];
      return explain([], await Promise.all(requests.map((request) => send(request, false))));
    },
  };
}
