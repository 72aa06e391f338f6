import { isDeepStrictEqual } from 'node:util';
import { errorBody } from '@partner/proto-contracts/api/error-body';
import type { InstallerJob } from '@partner/proto-contracts/resources/job/job';
import type { HttpResponse } from '@partner/test-kit/http-call';
import { readinessOf } from './job-rules.js';
import type { Caller } from './requests.js';
import { assignedJob, type JobState, type ModelState, versionKey } from './state.js';
import type { World } from './world.js';

/** The part of a world that the rules depend on. */
export type RuledWorld = Pick<World, 'jobs' | 'technicians'>;

/** An outcome breaks a rule. */
export class ViolationError extends Error {
  override readonly name = 'ViolationError';
}

export function violate(rule: string): never {
  throw new ViolationError(rule);
}

export function expectSame(what: string, found: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(found, expected)) {
    violate(`${what} is ${JSON.stringify(found)} and not ${JSON.stringify(expected)}`);
  }
}

export function jobOf(state: ModelState, jobId: string): JobState {
  return state.jobs.get(jobId) ?? assignedJob(0, null, 0);
}

/** Whether a key sees a job. */
export function sees(world: RuledWorld, state: ModelState, caller: Caller, jobId: string): boolean {
  const job = world.jobs.get(jobId);
  const { installerId } = jobOf(state, jobId);
  if (job === undefined || installerId === null) return false;
  return caller.kind === 'installer-company'
    ? installerId === caller.companyId
    : job.sellerId === caller.companyId && installerId === caller.boundCompanyId;
}

export function codeOf(answer: HttpResponse): string | undefined {
  return answer.status < 400 ? undefined : errorBody.safeParse(answer.json).data?.code;
}

export function refused(state: ModelState, answer: HttpResponse, status: number, code: string): ModelState {
  expectSame('the response', [answer.status, codeOf(answer)], [status, code]);
  return state;
}

export function notFound(state: ModelState, answer: HttpResponse): ModelState {
  return refused(state, answer, 404, 'not_found');
}

/** Each version of a job is shown as the rules make it, and always with the same text. */
export function withShownJob(
  world: RuledWorld,
  state: ModelState,
  jobId: string,
  version: number,
  shown: InstallerJob,
): ModelState {
  const known = state.versions.get(versionKey(jobId, version));
  const worldJob = world.jobs.get(jobId);
  if (known === undefined || worldJob === undefined) violate(`version ${version} of job ${jobId} is shown`);
  const { job } = known;
  const { updatedAt: _, technicianAssignments, ...rest } = shown;
  expectSame(
    'the job',
    { ...rest, members: technicianAssignments.map(({ membershipId }) => membershipId) },
    {
      ...worldJob.shown,
      version,
      status: job.status,
      schedule: job.schedule,
      readiness: readinessOf(job, worldJob.readiness),
      members: job.membershipIds,
    },
  );
  const text = JSON.stringify(shown);
  expectSame('the text of the version', text, known.text ?? text);
  return { ...state, versions: new Map(state.versions).set(versionKey(jobId, version), { job, text }) };
}
