import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  JobAssignedSchema,
  JobCreatedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import { type InstallerJob, installerJob, jobResponse } from '@partner/proto-contracts/resources/job/job';
import { jobFeedResponse } from '@partner/proto-contracts/resources/feed-entry/feed-entry';
import { newId } from '@partner/kernel/ids';
import { eventually } from '@partner/test-kit/eventually';
import { SEED, seededRandom } from '@partner/test-kit/seeded-random';
import { callUntilResponse } from './support/http-call.js';
import { addCompany, type AddedCompany } from './support/companies.js';
import { jobCreated } from './support/platform-job.js';
import { startTestStack, type TestStack } from './support/test-stack.js';

const JOBS = 12;
const WRITERS = 3;
const CHANGES_PER_WRITER = 20;
const READERS = 4;
/** So that a reader may ask as often as the test needs. */
const REQUESTS_PER_MINUTE = 1_000_000;

let stack: TestStack;
let installers: readonly [AddedCompany, AddedCompany];
let sellingCompanyId: string;

beforeAll(async () => {
  stack = await startTestStack({});
  const company = { class: 'INSTALLER', keys: ['installer-company'] } as const;
  const limits = { installerRequestsPerMinute: REQUESTS_PER_MINUTE };
  installers = [
    await addCompany(stack.database, { ...company, ...limits }),
    await addCompany(stack.database, { ...company, ...limits }),
  ];
  [{ id: sellingCompanyId } = { id: '' }] = stack.companies('SALES');
});

afterAll(() => stack.stop());

const ask = (company: AddedCompany, path: string, headers: Readonly<Record<string, string>> = {}) =>
  callUntilResponse(stack.baseUrl, `/partner/v1${path}`, {
    headers: { 'x-api-key': company.apiKeys[0] ?? '', ...headers },
  });

async function readPage(company: AddedCompany, query: string) {
  const answer = await ask(company, `/jobs?${query}`);
  expect(answer.status).toBe(200);
  return jobFeedResponse.parse(answer.json);
}

let published = 0;
let assignments = 0;

/** Each assignment is newer than the one before. */
async function assign(jobId: string, to: AddedCompany): Promise<void> {
  assignments += 1;
  published += 1;
  await stack.publishFromPlatform(JobAssignedSchema, {
    jobId,
    version: 1 + assignments,
    installerCompanyId: to.id,
    occurredAt: timestampFromDate(new Date(Date.now() - 3_600_000 + assignments)),
  });
}

async function createJob(company: AddedCompany): Promise<string> {
  const jobId = newId('job');
  published += 1;
  await stack.publishFromPlatform(JobCreatedSchema, jobCreated(jobId, sellingCompanyId));
  await assign(jobId, company);
  return jobId;
}

/** Resolves once every message of the platform has had its effect. */
async function untilAllHaveArrived(): Promise<void> {
  await eventually('all messages of the platform arrive', async () => {
    const { rows } = await stack.database.query<{ settled: number }>(
      'select count(settled_at)::integer as settled from inbox',
    );
    return rows[0]?.settled === published;
  });
}

/** Moves a job that the company may have lost or someone else may move meanwhile; only a fault of the service fails. */
async function moveOnce(company: AddedCompany, jobId: string): Promise<void> {
  const found = await ask(company, `/jobs/${jobId}`);
  if (found.status === 404) return;
  const { status, version } = jobResponse.parse(found.json).resource;
  const event =
    status === 'BLOCKED' ? { status: 'ACKNOWLEDGED' } : { status: 'BLOCKED', blockerCode: 'WEATHER' };
  const moved = await callUntilResponse(stack.baseUrl, `/partner/v1/jobs/${jobId}/status-events`, {
    method: 'POST',
    headers: { 'x-api-key': company.apiKeys[0] ?? '', 'idempotency-key': newId('evt') },
    body: { ...event, occurredAt: new Date().toISOString(), expectedVersion: version },
  });
  expect([201, 404, 409]).toContain(moved.status);
}

/** Asks for a snapshot with small pages and goes on with each cursor, until the writers have finished and nothing is left. */
async function follow(company: AddedCompany, limit: number, isOver: () => boolean) {
  const query = `view=snapshot&limit=${limit}`;
  const picture = new Map<string, InstallerJob>();
  let newest = 0;
  let inSnapshot = true;
  let page = await readPage(company, query);
  for (;;) {
    for (const { sequence, resource } of page.resources) {
      if (!inSnapshot) expect(sequence).toBeGreaterThan(newest);
      else if (newest !== 0) expect(sequence).toBe(newest);
      newest = sequence;
      picture.set(resource.id, resource);
    }
    inSnapshot &&= page.hasMore;
    const wasOver = isOver();
    if (page.nextCursor === null) throw new Error('a company with jobs has a cursor');
    page = await readPage(company, `${query}&cursor=${page.nextCursor}`);
    if (wasOver && !inSnapshot && page.resources.length === 0) return picture;
  }
}

describe('a reader that walks a snapshot and then tails the feed', () => {
  test('ends with the truth, whatever was moved, given and taken away while it read', async () => {
    const [company, other] = installers;
    const jobIds = await Promise.all(
      Array.from({ length: JOBS }, (_, index) => createJob(index % 3 === 0 ? other : company)),
    );
    await untilAllHaveArrived();

    let isOver = false;
    let changes = 0;
    const write = async (place: number) => {
      const random = seededRandom(`${SEED} writer ${place}`);
      for (let count = 0; count < CHANGES_PER_WRITER; count += 1) {
        const jobId = jobIds[Math.floor(random() * jobIds.length)] ?? '';
        const to = random() < 0.6 ? company : other;
        if (random() < 0.1) jobIds.push(await createJob(company));
        else if (random() < 0.4) await assign(jobId, to);
        else await moveOnce(to, jobId);
        changes += 1;
      }
    };
    const writers = Array.from({ length: WRITERS }, (_, place) => write(place));
    const readers: Promise<ReadonlyMap<string, InstallerJob>>[] = [];
    while (readers.length < READERS) {
      const due = (readers.length * WRITERS * CHANGES_PER_WRITER) / READERS;
      await eventually(`${due} changes`, () => changes >= due, { everyMs: 5 });
      readers.push(follow(company, 1 + (readers.length % 2), () => isOver));
    }
    await Promise.all(writers);
    await untilAllHaveArrived();
    isOver = true;

    const truth = await stack.database.query<{ projection: string }>(
      'select projection from jobs where installer_company_id = $1',
      [company.id],
    );
    const jobs = truth.rows.map(({ projection }) => installerJob.parse(JSON.parse(projection)));
    expect(jobs.length).toBeGreaterThan(0);
    // A job that has left is not in the feed any more; the company is told by an event.
    const left = await stack.database.query<{ id: string; version: number }>(
      `select resource_id as id, resource_version as version from events
       where company_id = $1 and name = 'install.job_unassigned'`,
      [company.id],
    );
    for (const picture of await Promise.all(readers)) {
      const gone = left.rows.filter(({ id, version }) => (picture.get(id)?.version ?? version) < version);
      const shown = new Map(picture);
      for (const { id } of gone) shown.delete(id);
      expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(jobs.map((job) => [job.id, job])));
    }
  });

  test('is told that nothing is new by a 304, and of the next change in full', async () => {
    const [, company] = installers;
    const jobId = await createJob(company);
    await untilAllHaveArrived();
    const { nextCursor } = await readPage(company, 'limit=1');
    const poll = (tag?: string) =>
      ask(company, `/jobs?cursor=${nextCursor}`, tag === undefined ? {} : { 'if-none-match': tag });
    const tag = (await poll()).headers.get('etag') ?? '';
    const nothing = await poll(tag);
    expect([nothing.status, nothing.text, nothing.headers.get('etag')]).toEqual([304, '', tag]);
    expect(nothing.headers.get('x-svc-api-version')).toBe('2026-08-26');

    await moveOnce(company, jobId);
    const changed = await poll(tag);
    expect(changed.status).toBe(200);
    expect(jobFeedResponse.parse(changed.json).resources.map(({ resource }) => resource.id)).toEqual([jobId]);
    const job = await ask(company, `/jobs/${jobId}`);
    const known = await ask(company, `/jobs/${jobId}`, { 'if-none-match': job.headers.get('etag') ?? '' });
    expect([known.status, known.text]).toEqual([304, '']);
  });
});

describe('from=start', () => {
  test('reads every entry that there is, in order and none twice', async () => {
    const [company] = installers;
    const sequences: number[] = [];
    let page = await readPage(company, 'from=start&limit=10');
    for (;;) {
      sequences.push(...page.resources.map(({ sequence }) => sequence));
      if (!page.hasMore) break;
      page = await readPage(company, `from=start&limit=10&cursor=${page.nextCursor}`);
    }
    const { rows } = await stack.database.query<{ sequence: string }>(
      'select sequence from feed_entries where company_id = $1 order by sequence',
      [company.id],
    );
    expect(rows.length).toBeGreaterThan(10);
    expect(sequences).toEqual(rows.map(({ sequence }) => Number(sequence)));
  });
});

describe('a version that nobody knows', () => {
  test('is refused in the current one', async () => {
    const answer = await ask(installers[0], '/jobs', { 'x-svc-api-version': '2026-08-25' });
    expect([answer.status, answer.headers.get('x-svc-api-version')]).toEqual([400, '2026-08-26']);
    expect(answer.json).toMatchObject({ error: 'x-svc-api-version: must be 2026-08-26' });
  });
});
