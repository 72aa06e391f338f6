import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { runCommand } from '@partner/local-stack/run-command';
import { addCompany } from '@partner/local-stack/stack/add-company';
import { createApiKey } from '@partner/kernel/api-key';
import { newId } from '@partner/kernel/ids';
import { jobResponse } from '@partner/proto-contracts/resources/job/job';
import { type ServerShare, takeServerShare } from '@partner/test-kit/backing-services/take-server-share';
import { eventually } from '@partner/test-kit/eventually';
import { readFeed } from './deliveries/check-feeds.js';
import { scheduleAt } from './deliveries/workload.js';
import { migrate } from './least-privilege/database-roles.js';
import { addOwner } from './support/companies.js';
import { call, expectStatus } from './support/http-call.js';
import { createActiveSubscription, type OwnerSession } from './support/owner-session.js';
import { assignNewJob } from './support/platform-job.js';
import { startTestStack, type TestStack } from './support/test-stack.js';

const MOVE = path.join(PROJECT_ROOT, 'services/job-state/dist/move-companies.js');
const PAUSE_MS = 40;

/** A seller and its installer, which has one job. */
interface Group {
  readonly name: string;
  readonly companyIds: readonly string[];
  readonly apiKey: string;
  readonly session: OwnerSession;
  readonly jobId: string;
  /** Versions of the job that were acknowledged, the newest last. */
  readonly versions: number[];
  /** Statuses of the responses to the writes. */
  readonly statuses: Set<number>;
}

/** The second shard. */
let other: ServerShare;
let stack: TestStack;
/** Stays in the first shard. */
let one: Group;
/** Moves to the second shard and back. */
let two: Group;

beforeAll(async () => {
  other = await takeServerShare();
  await migrate(other.postgresUrl);
  const inFront = { SHARD_AMQP_URLS: other.amqpUrl };
  stack = await startTestStack({
    replicas: { 'job-state': 2, 'webhook-dispatcher': 2 },
    settings: {
      ...{ 'inbound-gateway': inFront, 'installer-gateway': inFront, console: inFront },
      'job-state-2': { AMQP_URL: other.amqpUrl, POSTGRES_URL: other.postgresUrl },
      'webhook-dispatcher-2': { AMQP_URL: other.amqpUrl },
    },
  });
  [one, two] = [await createGroup('one'), await createGroup('two')];
});

afterAll(async () => {
  await stack.stop();
  await other.release();
});

async function createGroup(name: string): Promise<Group> {
  const seller = await addCompany(stack.database, { class: 'SALES' });
  const { id, apiKeys } = await addCompany(stack.database, {
    class: 'INSTALLER',
    keys: ['installer-company'],
    installerRequestsPerMinute: 100_000,
  });
  const [apiKey = ''] = apiKeys;
  const session = await addOwner(stack, id);
  await createActiveSubscription(session, { url: `${stack.receiverUrl}/${name}`, events: ['install.*'] });
  const companies = { sellingCompanyId: seller.id, installerCompanyId: id };
  const job = await assignNewJob(stack, { ...companies, installerKey: apiKey });
  const group = { name, apiKey, session, jobId: job.id, companyIds: [seller.id, id] };
  return { ...group, versions: [job.version], statuses: new Set() };
}

/** Sets the schedule of the job, and repeats the request after a 503. */
async function write({ apiKey, jobId, versions, statuses }: Group): Promise<void> {
  const expectedVersion = versions.at(-1) ?? 0;
  const headers = { 'x-api-key': apiKey, 'idempotency-key': newId('evt') };
  const body = { ...scheduleAt(expectedVersion), expectedVersion };
  for (;;) {
    const response = await call(stack.baseUrl, `/partner/v1/jobs/${jobId}/schedule`, {
      ...{ method: 'PUT', headers, body },
    });
    statuses.add(response.status);
    await delay(PAUSE_MS);
    if (response.status === 503) continue;
    versions.push(jobResponse.parse((await expectStatus(200, response)).json).resource.version);
    return;
  }
}

/** Checks that each acknowledged write is in the feed and was sent to the webhook, once. */
async function expectComplete({ name, apiKey, session, versions }: Group): Promise<void> {
  const entries = await readFeed(stack.baseUrl, apiKey);
  expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, place) => place + 1));
  expect(entries.map(({ resource }) => resource.version)).toEqual(versions);
  // A test delivery has no number.
  const webhooks = () =>
    stack.receiver.received.filter(
      ({ path: sentTo, headers }) => sentTo.endsWith(name) && headers['x-svc-number'] !== undefined,
    );
  await eventually(`the webhooks of ${name}`, () => webhooks().length >= versions.length);
  expect(new Set(webhooks().map(({ envelope }) => envelope.resource.version))).toEqual(new Set(versions));
  const numbers = webhooks().map(({ headers }) => Number(headers['x-svc-number']));
  expect(numbers.toSorted((a, b) => a - b)).toEqual(versions.map((_, place) => place + 1));
  await expectStatus(200, session.call('GET', '/partner-api/webhooks'));
}

/** Moves the second group as an operator does, while both groups write. */
async function expectMoveWhileWriting(from: string, to: string): Promise<void> {
  let hasMoved = false;
  const writeUntilMoved = async (group: Group) => {
    group.statuses.clear();
    while (!hasMoved) await write(group);
    await write(group);
  };
  const move = async () => {
    const env = { POSTGRES_URL: from, TARGET_POSTGRES_URL: to, OPERATOR: 'Olive' };
    const run = await runCommand(process.execPath, [MOVE, ...two.companyIds], { env });
    hasMoved = true;
    expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('move.finished') });
  };
  await Promise.all([move(), writeUntilMoved(one), writeUntilMoved(two)]);
  await Promise.all([one, two].map(expectComplete));
  expect([[...one.statuses], [...two.statuses].toSorted()]).toEqual([[200], [200, 503]]);
}

test('a group moves to another shard while its client writes, and loses and repeats nothing; no other one notices [MOVE-1] [MOVE-4] [SHARD-1] [SHARD-3] [SHARD-5]', () =>
  expectMoveWhileWriting(stack.stack.description.postgresUrl, other.postgresUrl));

test('a shard that is down makes 503 for its companies, and for what no other shard knows [SHARD-2] [SHARD-4]', async () => {
  const jobState = stack.stack.process('job-state-2');
  await jobState.kill('SIGKILL');
  const read = (headers: Record<string, string>) => call(stack.baseUrl, '/partner/v1/jobs', { headers });
  const unknown = { 'x-api-key': createApiKey('sandbox').text };
  const status = async () => (await call(stack.baseUrl, '/partner-api/status')).text;
  await Promise.all([
    expectStatus(503, read(unknown)),
    expectStatus(503, two.session.call('GET', '/partner-api/webhooks')),
    expectComplete(one),
    eventually('the status is degraded', async () => (await status()).includes('degraded')),
  ]);
  await jobState.start();
  await jobState.ready();
  await expectComplete(two);
  await expectStatus(401, read(unknown));
});

test('a group moves back, its client has written all the time [MOVE-1] [SHARD-3]', () =>
  expectMoveWhileWriting(other.postgresUrl, stack.stack.description.postgresUrl));
