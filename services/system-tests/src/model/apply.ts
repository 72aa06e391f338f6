import { contractorJob } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import { errorBody } from '@partner/proto-contracts/api/error-body';
import { jobResponse } from '@partner/proto-contracts/resources/job/job';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import type { HttpResponse } from '@partner/test-kit/http-call';
import { applyRead } from './apply-read.js';
import {
  codeOf,
  expectSame,
  jobOf,
  notFound,
  refused,
  type RuledWorld,
  sees,
  violate,
  withShownJob,
} from './expectations.js';
import { judge, stageOf } from './job-rules.js';
import type { Assignment, Caller, JobWrite, Outcome, Write, WriteRequest } from './requests.js';
import { assignedJob, type ModelState, withVersion } from './state.js';

/**
 * Takes the next step of the model: the state after an outcome. Throws {@link ViolationError} if the rules do not allow the
 * outcome in this state.
 */
export function apply(world: RuledWorld, state: ModelState, outcome: Outcome): ModelState {
  if (!('answer' in outcome)) return applyAssignment(state, outcome.request);
  const { request, answer, wasRepeated } = outcome;
  return request.kind === 'read'
    ? applyRead(world, state, request, answer)
    : applyWrite(world, state, request, answer, wasRepeated);
}

/** An older assignment changes nothing, nor does one of a closed job or to the company that has the job. */
function applyAssignment(state: ModelState, { jobId, installerId, version }: Assignment): ModelState {
  const job = jobOf(state, jobId);
  if (version <= job.assignment) return state;
  if (job.status === 'COMPLETE' || job.installerId === installerId) {
    return { ...state, jobs: new Map(state.jobs).set(jobId, { ...job, assignment: version }) };
  }
  const next = assignedJob(job.version + 1, installerId, version);
  return withVersion(state, jobId, next);
}

function applyWrite(
  world: RuledWorld,
  state: ModelState,
  request: WriteRequest,
  answer: HttpResponse,
  wasRepeated: boolean,
): ModelState {
  const { caller, write, key } = request;
  const isReplay = answer.headers.get('idempotency-replayed') === 'true';
  if (request.invalid === 'input') return refused(state, answer, 400, 'invalid_argument');
  const slot = key === undefined ? undefined : `${caller.companyId} ${key}`;
  const kept = slot === undefined ? undefined : state.kept.get(slot);
  if (kept !== undefined) {
    if (kept.binding !== bindingOf(request)) return refused(state, answer, 409, 'idempotency_mismatch');
    if (!sees(world, state, caller, write.jobId)) return notFound(state, answer);
    expectSame('the replay', [answer.status, textOf(answer)], [kept.status, kept.text]);
    if (!isReplay) violate('the replay has no idempotency-replayed');
    return state;
  }
  if (isReplay && !wasRepeated) violate('the first response has idempotency-replayed');
  const next = effectOf(world, state, request, answer);
  const isKept = answer.status < 300 || answer.status === 422 || codeOf(answer) === 'stale_version';
  if (slot === undefined || !isKept) return next;
  const outcome = { binding: bindingOf(request), status: answer.status, text: textOf(answer) };
  return { ...next, kept: new Map(next.kept).set(slot, outcome) };
}

/** The operation and the body, whatever the order of its fields. */
function bindingOf({ caller, method, path, body }: WriteRequest): string {
  const fields = Object.entries(body).filter(([, value]) => value !== undefined);
  const sorted = fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([method, path, caller.boundCompanyId, sorted]);
}

function textOf({ status, text, headers }: HttpResponse): string {
  return status < 400 ? text : text.replace(headers.get('x-request-id') ?? '', '…');
}

function effectOf(
  world: RuledWorld,
  state: ModelState,
  request: WriteRequest,
  answer: HttpResponse,
): ModelState {
  const { write, caller } = request;
  if (write.kind === 'note') return appendNote(world, state, caller, write, answer);
  if (request.invalid === 'clock') return refused(state, answer, 400, 'invalid_argument');
  return changeJob(world, state, caller, write, answer);
}

function changeJob(
  world: RuledWorld,
  state: ModelState,
  caller: Caller,
  write: JobWrite,
  answer: HttpResponse,
): ModelState {
  const { jobId } = write;
  if (!sees(world, state, caller, jobId)) return notFound(state, answer);
  const job = jobOf(state, jobId);
  if (write.expectedVersion !== job.version) {
    const { currentVersion } = errorBody.parse(answer.json);
    expectSame('currentVersion', currentVersion, job.version);
    return refused(state, answer, 409, 'stale_version');
  }
  const technicians = world.technicians.get(caller.companyId) ?? [];
  const active = technicians.filter((technician) => technician.active);
  const verdict = judge(job, write, new Set(active.map(({ membershipId }) => membershipId)));
  if (verdict.kind === 'refused') {
    const { currentStatus, allowed } = errorBody.parse(answer.json);
    expectSame('the refusal', [currentStatus, allowed], [verdict.currentStatus, verdict.allowed]);
    return refused(state, answer, 422, verdict.code);
  }
  expectSame('the status', answer.status, write.kind === 'status' ? 201 : 200);
  const next = withVersion(state, jobId, verdict.job);
  return withShownJob(world, next, jobId, verdict.job.version, jobResponse.parse(answer.json).resource);
}

function appendNote(
  world: RuledWorld,
  state: ModelState,
  caller: Caller,
  { jobId, note }: Extract<Write, { kind: 'note' }>,
  answer: HttpResponse,
): ModelState {
  const worldJob = world.jobs.get(jobId);
  if (worldJob === undefined || !sees(world, state, caller, jobId)) return notFound(state, answer);
  const job = jobOf(state, jobId);
  const notes = job.notes === null ? note : `${job.notes}\n${note}`;
  if (Array.from(notes).length > LIMITS.installerNoteLength) {
    return refused(state, answer, 422, 'note_limit_reached');
  }
  const next = { ...job, notes };
  const { lastUpdated: _, ...shown } = contractorJob.parse(answer.json);
  expectSame('the job with the note', shown, {
    ...worldJob.listed,
    stage: stageOf(job),
    installerNote: notes,
  });
  return { ...state, jobs: new Map(state.jobs).set(jobId, next) };
}
