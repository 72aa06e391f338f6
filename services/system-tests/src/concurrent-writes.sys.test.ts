import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { errorBody } from '@partner/proto-contracts/api/error-body';
import { contractorJobsResponse } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import { type InstallerJob, jobResponse } from '@partner/proto-contracts/resources/job/job';
import { JOB_STATUS_MOVES } from '@partner/proto-contracts/resources/job/job-status-moves';
import { SCHEDULE_STATUS_MOVES } from '@partner/proto-contracts/resources/job/schedule-status-moves';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import type { Call, HttpResponse } from '@partner/test-kit/http-call';
import { SEED, seededRandom, shuffled } from '@partner/test-kit/seeded-random';
import { checkHistory } from './deliveries/check-history.js';
import type { AcknowledgedWrite } from './deliveries/delivery-history.js';
import { contentHash, followFeeds } from './deliveries/partner-readings.js';
import { createSurfaceSide, type SurfaceSide } from './surfaces/surface-side.js';
import { callUntilResponse } from './support/http-call.js';
import { assignNewJob } from './support/platform-job.js';
import { startTestStack, type TestStack } from './support/test-stack.js';

/** `ROUNDS` makes more of them. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 40);
const JOBS = 3;
const COPIES = 2;
/** Killed while the requests of every fifth round are in flight, and started again. */
const KILLED = ['job-state', 'installer-gateway', 'job-state-2', 'inbound-gateway'];
const MOVES = ['ACKNOWLEDGED', 'EN_ROUTE', 'ON_SITE', 'BLOCKED', 'IN_PROGRESS'] as const;
const SCHEDULES = ['TENTATIVE', 'CONFIRMED', 'CANCELLED'] as const;

/** A write at the version that the installer has read. */
interface Write {
  readonly path: string;
  readonly method: 'POST' | 'PUT';
  readonly fields: Readonly<Record<string, unknown>>;
  /** What it changes of the job. */
  readonly change: Partial<ReturnType<typeof contentOf>>;
  /** The body of its 422; undefined for a write that the rules allow. */
  readonly refusal: { readonly currentStatus: string; readonly allowed: readonly string[] } | undefined;
}

const NO_WEBHOOKS = {
  settings: { retryBaseMs: 0, leaseMs: 0, underWayMs: 0 },
  leads: [],
  subscriptions: [],
  requests: [],
  unsettled: [],
} as const;

let stack: TestStack;
let side: SurfaceSide;
const writes: AcknowledgedWrite[] = [];
const random = seededRandom(`${SEED} concurrent writes`);

beforeAll(async () => {
  process.stdout.write(`concurrent writes: SEED=${SEED} ROUNDS=${ROUNDS}\n`);
  stack = await startTestStack({ replicas: { 'job-state': 2 } });
  side = await createSurfaceSide(stack);
});

afterAll(() => stack.stop());

/** A job without its version and time, and its technicians by their ids. */
function contentOf({ version: _, updatedAt: _at, technicianAssignments, ...rest }: InstallerJob) {
  return { ...rest, members: technicianAssignments.map(({ membershipId }) => membershipId) };
}

/** Some moves of a job, allowed or not, and one write that is allowed for certain. */
function writesTo(job: InstallerJob, seller: InstallerJob['readiness']): readonly Write[] {
  const path = `/partner/v1/jobs/${job.id}`;
  const blocked = { ready: false, blockerCodes: [...seller.blockerCodes, 'WEATHER'] };
  const statuses = shuffled(MOVES, random)
    .slice(0, 2)
    .map((status): Write => {
      const allowed = JOB_STATUS_MOVES[job.status];
      const blocker = status === 'BLOCKED' ? { blockerCode: 'WEATHER' } : {};
      return {
        path: `${path}/status-events`,
        method: 'POST',
        fields: { status, occurredAt: new Date().toISOString(), ...blocker },
        change: { status, readiness: status === 'BLOCKED' ? blocked : seller },
        refusal: allowed.includes(status) ? undefined : { currentStatus: job.status, allowed },
      };
    });
  const [scheduled = 'CONFIRMED'] = shuffled(SCHEDULES, random);
  const allowed = SCHEDULE_STATUS_MOVES[job.schedule.status];
  const timeZone = 'America/Chicago';
  const times = { startsAt: '2026-10-05T14:00:00.000Z', endsAt: '2026-10-05T18:00:00.000Z' };
  const shown = scheduled === 'CANCELLED' ? { startsAt: null, endsAt: null } : times;
  const schedule: Write = {
    path: `${path}/schedule`,
    method: 'PUT',
    fields: { status: scheduled, ...times, timeZone },
    change: { schedule: { status: scheduled, ...shown, timeZone } },
    refusal: allowed.includes(scheduled) ? undefined : { currentStatus: job.schedule.status, allowed },
  };
  const members = shuffled(side.technicianIds.slice(0, 20), random).slice(0, Math.floor(random() * 3));
  const assignments: Write = {
    path: `${path}/assignments`,
    method: 'PUT',
    fields: { membershipIds: members },
    change: { members },
    refusal: undefined,
  };
  return [...statuses, schedule, assignments];
}

/** Sends a request several times at once under one key, until each has a certain response, and returns the first one. */
async function sendCopies(path: string, options: Call): Promise<HttpResponse> {
  const keyed = { ...options, headers: { ...options.headers, 'idempotency-key': newId('evt') } };
  const copies = Array.from({ length: COPIES }, () => callUntilResponse(stack.baseUrl, path, keyed));
  const responses = await Promise.all(copies);
  const texts = responses.map(({ text, headers }) => text.replace(headers.get('x-request-id') ?? '', ''));
  expect(new Set(texts).size).toBe(1);
  const repeats = responses.filter(({ headers }) => headers.get('idempotency-replayed') === 'true');
  expect(repeats.length).toBeGreaterThanOrEqual(COPIES - 1);
  const [first] = responses;
  invariant(first, 'there are copies');
  return first;
}

const installerHeaders = () => ({ 'x-api-key': side.keys['installer-company'] });
const sellerHeaders = () => ({ 'x-api-key': side.keys['installer-contractor'] });

async function readJob(jobId: string): Promise<InstallerJob> {
  const response = await callUntilResponse(stack.baseUrl, `/partner/v1/jobs/${jobId}`, {
    headers: installerHeaders(),
  });
  return jobResponse.parse(response.json).resource;
}

/** Records that a write was acknowledged, with an event for each of these fields that it has changed. */
function noteWrite(before: InstallerJob, after: InstallerJob): void {
  const fields = ['status', 'schedule', 'readiness'] as const;
  const changed = fields.filter((field) => !isDeepStrictEqual(before[field], after[field]));
  noteEvents(after, ...changed.map((field) => `install.${field}_changed`));
}

function noteEvents({ id, version }: InstallerJob, ...names: readonly string[]): void {
  const tells = names.map((name) => ({ name, resourceId: id, resourceVersion: version }));
  writes.push({ companyId: side.installerId, sentAt: 0, respondedAt: Date.now(), tells });
}

/** Sends concurrent writes and reads of a job, and returns the job as the one accepted write has made it. */
async function raceFor(job: InstallerJob, seller: InstallerJob['readiness']): Promise<InstallerJob> {
  const { version } = job;
  const headers = installerHeaders();
  const send = ({ path, method, fields }: Write, expectedVersion: number) =>
    sendCopies(path, { method, headers, body: { ...fields, expectedVersion } });
  const sent = writesTo(job, seller);
  const [outcomes, stale, read] = await Promise.all([
    Promise.all(sent.map(async (write) => ({ write, response: await send(write, version) }))),
    // A job begins with version 1: nothing is stale then.
    Promise.all(sent.slice(0, version > 1 ? 1 : 0).map((write) => send(write, version - 1))),
    readJob(job.id),
  ]);
  const accepted = outcomes.filter(({ response }) => response.status < 300);
  expect(accepted).toHaveLength(1);
  const won = accepted[0];
  invariant(won, 'one write is accepted');
  const { resource } = jobResponse.parse(won.response.json);
  noteWrite(job, resource);
  expect(won.write.refusal).toBeUndefined();
  expect(resource.version).toBe(version + 1);
  expect(contentOf(resource)).toEqual({ ...contentOf(job), ...won.write.change });
  for (const { write, response } of outcomes.filter((outcome) => outcome !== won)) {
    const { code, currentVersion, currentStatus, allowed } = errorBody.parse(response.json);
    if (code === 'transition_not_allowed') expect({ currentStatus, allowed }).toEqual(write.refusal);
    else expect({ code, currentVersion }).toEqual({ code: 'stale_version', currentVersion: version + 1 });
  }
  for (const { json } of stale) {
    const { code, currentVersion = 0 } = errorBody.parse(json);
    expect([code, [version, version + 1].includes(currentVersion)]).toEqual(['stale_version', true]);
  }
  expect([job, resource]).toContainEqual(read);
  return resource;
}

async function restart(name: string): Promise<void> {
  const process = stack.stack.process(name);
  await process.kill('SIGKILL');
  await process.start();
  await process.ready();
}

test('of concurrent writes to a job at one version exactly one is accepted, also when processes are killed, and the feed has every version once [CONTRACTOR-4, ERROR-11, FEED-1, FEED-4, IDEM-5, JOB-3, JOB-4, STATUS-2]', async () => {
  const [sellingCompanyId, installerCompanyId] = [side.sellerId, side.installerId];
  const installerKey = side.keys['installer-company'];
  const beganAt = Date.now();
  const reader = { id: installerCompanyId, class: 'INSTALLER', apiKey: installerKey } as const;
  const partners = followFeeds([reader], (path, request) => callUntilResponse(stack.baseUrl, path, request));
  const jobs = await Promise.all(
    Array.from({ length: JOBS }, () =>
      assignNewJob(stack, { sellingCompanyId, installerCompanyId, installerKey }),
    ),
  );
  for (const job of jobs) noteEvents(job, 'install.job_assigned');
  const histories = jobs.map((first) => ({ first, versions: [first], notes: [''].slice(1) }));
  for (let round = 1; round <= ROUNDS; round += 1) {
    const killed = round % 5 === 0 ? KILLED[(round / 5) % KILLED.length] : undefined;
    await Promise.all([
      ...histories.map(async ({ first, versions }) => {
        versions.push(await raceFor(versions.at(-1) ?? first, first.readiness));
      }),
      ...histories.map(async ({ first, notes }) => {
        const note = `note ${round}`;
        const response = await sendCopies(`/inbound/jobs/${first.id}/status`, {
          method: 'POST',
          headers: sellerHeaders(),
          body: { note },
        });
        expect(response.status).toBe(200);
        notes.push(note);
      }),
      ...(killed === undefined ? [] : [restart(killed)]),
    ]);
  }
  const readings = await partners.finish([]);
  const seen = { beganAt, companyIds: [installerCompanyId], writes, readings };
  expect(await checkHistory(stack.database, { ...NO_WEBHOOKS, ...seen })).toEqual([]);
  const listed = await callUntilResponse(stack.baseUrl, '/inbound/jobs?take=200', {
    headers: sellerHeaders(),
  });
  const { jobs: shown } = contractorJobsResponse.parse(listed.json);
  for (const { first, versions, notes } of histories) {
    const ofJob = readings.filter((entry) => entry.reader === 'latecomer' && entry.way === 'jobs');
    const contents = ofJob
      .filter((entry) => entry.resource_id === first.id)
      .map((entry) => entry.body_sha256);
    expect(contents).toEqual(versions.map(contentHash));
    expect(shown.find(({ id }) => id === first.id)?.installerNote?.split('\n')).toEqual(notes);
  }
});
