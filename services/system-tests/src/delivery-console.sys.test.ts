import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { RECEIVER_HOST } from '@partner/local-stack/stack/receiver-hosts';
import type { SandboxCompany } from '@partner/local-stack/stack/stack-description';
import {
  bulkReplay,
  bulkReplayPage,
  bulkReplayPreview,
} from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import { eventPage, eventWithTrail } from '@partner/proto-contracts/resources/event/event';
import { type InstallerJob, jobResponse } from '@partner/proto-contracts/resources/job/job';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { delivery, deliveryPage } from '@partner/proto-contracts/resources/delivery/delivery';
import { subscriptionActivated } from '@partner/proto-contracts/resources/subscription/subscription';
import { newId } from '@partner/kernel/ids';
import { eventually } from '@partner/test-kit/eventually';
import type { z } from 'zod';
import type { HttpResponse } from '@partner/test-kit/http-call';
import { call } from './support/http-call.js';
import {
  createActiveSubscription,
  type OwnerSession,
  readSubscription,
  signIn,
  waitForDelivery,
} from './support/owner-session.js';
import { assignNewJob } from './support/platform-job.js';
import { apiKeyOf, startTestStack, type TestStack } from './support/test-stack.js';
import type { ReceivedWebhook, ReceiverResponse } from './support/webhook-receiver.js';

const EVENTS = ['install.status_changed'];
const ALL_ATTEMPTS = Array.from({ length: LIMITS.webhookAttempts }, (_, index) => index + 1);
const KEPT_OF_AN_ANSWER = 4_096;

/** More than is kept of an answer. */
const FAILURE_PAGE = 'This server is out of order. '.repeat(300);
const FAILS: ReceiverResponse = { kind: 'status', status: 503, body: FAILURE_PAGE };
/** Leaves a delivery waiting for its second attempt for as long as the tests run. */
const ASKS_TO_WAIT: ReceiverResponse = { kind: 'status', status: 503, retryAfterSeconds: 3_600 };

let stack: TestStack;
let seller: SandboxCompany;
let installer: SandboxCompany;
let otherInstaller: SandboxCompany;
let owner: OwnerSession;
let stranger: OwnerSession;
/** How the receiver answers at a place; 204 at all others. */
const answers = new Map<string, ReceiverResponse>();
const subscribed: string[] = [];

const nth = (companies: readonly SandboxCompany[], place: number): SandboxCompany => {
  const company = companies[place];
  if (company === undefined) throw new Error('the sandbox has too few companies');
  return company;
};

beforeAll(async () => {
  stack = await startTestStack({
    settings: { 'job-state': { WEBHOOK_RETRY_BASE_MS: '20', SCHEDULER_INTERVAL_MS: '50' } },
    answer: ({ path }) => answers.get(path) ?? 204,
  });
  // The moves of all tests are more than the standard limit lets through in a minute.
  await stack.database.query('update companies set installer_requests_per_minute = 100000');
  seller = nth(stack.companies('SALES'), 0);
  installer = nth(stack.companies('INSTALLER'), 0);
  otherInstaller = nth(stack.companies('INSTALLER'), 1);
  owner = await signIn(stack.baseUrl, installer.owner);
  stranger = await signIn(stack.baseUrl, otherInstaller.owner);
});

afterAll(async () => {
  await stack.stop();
});

/** What one test has subscribed to is no concern of the next. */
afterEach(async () => {
  for (const id of subscribed.splice(0)) await owner.call('DELETE', `/partner-api/webhooks/${id}`);
  answers.clear();
});

const answerAt = (place: string, answer: ReceiverResponse) => answers.set(`/webhooks/${place}`, answer);
const succeedAt = (place: string) => answers.delete(`/webhooks/${place}`);

async function subscribe(place: string, events = EVENTS): Promise<{ readonly id: string }> {
  const made = await createActiveSubscription(owner, { url: `${stack.receiverUrl}/${place}`, events });
  subscribed.push(made.id);
  return made;
}

const newJob = (company = installer): Promise<InstallerJob> =>
  assignNewJob(stack, {
    sellingCompanyId: seller.id,
    installerCompanyId: company.id,
    installerKey: apiKeyOf(company, 'installer-company'),
  });

const NEXT_STATUS: Readonly<Record<string, string>> = {
  ASSIGNED: 'ACKNOWLEDGED',
  ACKNOWLEDGED: 'EN_ROUTE',
  EN_ROUTE: 'ON_SITE',
  ON_SITE: 'EN_ROUTE',
};

async function write(
  company: SandboxCompany,
  method: string,
  path: string,
  body: Readonly<Record<string, unknown>>,
  requestId = newId('evt'),
): Promise<InstallerJob> {
  const answer = await call(stack.baseUrl, path, {
    method,
    headers: {
      'x-api-key': apiKeyOf(company, 'installer-company'),
      'idempotency-key': requestId,
      'x-request-id': requestId,
    },
    body,
  });
  expect([answer.status, answer.text]).toEqual([method === 'POST' ? 201 : 200, answer.text]);
  return jobResponse.parse(answer.json).resource;
}

/** Moves a job to another status, which is one event. */
const move = (job: InstallerJob, requestId?: string, company = installer): Promise<InstallerJob> =>
  write(
    company,
    'POST',
    `/partner/v1/jobs/${job.id}/status-events`,
    {
      status: NEXT_STATUS[job.status],
      occurredAt: new Date().toISOString(),
      expectedVersion: job.version,
    },
    requestId,
  );

const schedule = (job: InstallerJob): Promise<InstallerJob> =>
  write(installer, 'PUT', `/partner/v1/jobs/${job.id}/schedule`, {
    startsAt: '2027-10-02T15:00:00Z',
    endsAt: '2027-10-02T18:00:00Z',
    timeZone: 'America/Chicago',
    status: 'CONFIRMED',
    expectedVersion: job.version,
  });

const receivedAt = (place: string) =>
  stack.receiver.received.filter(({ path }) => path === `/webhooks/${place}`);
const eventsReceivedAt = (place: string) =>
  receivedAt(place).filter(({ envelope }) => envelope.event !== 'install.test');
const deliveryIdOf = ({ headers }: ReceivedWebhook) => headers['x-svc-delivery-id'];

async function ask(status: number, method: string, path: string, body?: unknown): Promise<HttpResponse> {
  const answer = await owner.call(method, `/partner-api${path}`, body);
  expect([method, path, answer.status, answer.text]).toEqual([method, path, status, answer.text]);
  return answer;
}

type Delivery = z.infer<typeof delivery>;
type BulkReplay = z.infer<typeof bulkReplay>;

async function listDeliveries(subscriptionId: string, query = ''): Promise<readonly Delivery[]> {
  const answer = await ask(200, 'GET', `/webhooks/${subscriptionId}/deliveries?limit=100${query}`);
  return deliveryPage.parse(answer.json).deliveries;
}

/** The newest delivery to a subscription about a job. */
async function deliveryAbout(subscriptionId: string, job: InstallerJob): Promise<Delivery> {
  const [newest] = await listDeliveries(subscriptionId, `&resourceId=${job.id}`);
  if (newest === undefined) throw new Error('the move of the job was not queued');
  return newest;
}

const replay = async (deliveryId: string): Promise<Delivery> =>
  delivery.parse((await ask(202, 'POST', `/deliveries/${deliveryId}/replay`)).json);

const readReplay = async (replayId: string): Promise<BulkReplay> =>
  bulkReplay.parse((await ask(200, 'GET', `/replays/${replayId}`)).json);

const listReplays = async (subscriptionId: string): Promise<readonly BulkReplay[]> =>
  bulkReplayPage.parse((await ask(200, 'GET', `/webhooks/${subscriptionId}/replays`)).json).replays;

const waitForReplay = (replayId: string, condition: (replay: BulkReplay) => boolean): Promise<BulkReplay> =>
  eventually(`progress of ${replayId}`, async () => {
    const found = await readReplay(replayId);
    return condition(found) && found;
  });

/** Waits until every delivery of a subscription is in one of these states, and lists them all. */
const waitForAll = (subscriptionId: string, ...states: string[]): Promise<readonly Delivery[]> =>
  eventually(`all deliveries ${states.join(' or ')}`, async () => {
    const all = await listDeliveries(subscriptionId);
    return all.every(({ state }) => states.includes(state)) && all;
  });

/** A span that everything so far is in. */
const soFar = () => ({
  from: new Date(Date.now() - 3_600_000).toISOString(),
  to: new Date(Date.now() + 60_000).toISOString(),
});

/** An event whose 8 attempts have failed at a new subscription. */
async function deadLetter(place: string) {
  const { id: subscriptionId } = await subscribe(place);
  answerAt(place, FAILS);
  const job = await move(await newJob());
  const { id } = await deliveryAbout(subscriptionId, job);
  const dead = await waitForDelivery(owner, id, (state) => state === 'dead_lettered');
  return { subscriptionId, job, dead };
}

describe('a dead-lettered delivery', () => {
  test('shows what became of each of its 8 attempts, and its subscription is degraded [DELIVERY-3, DELIVERY-9, DELIVERY-12, WEBHOOK-10]', async () => {
    const { subscriptionId, job, dead } = await deadLetter('dead');
    expect(dead.delivery).toMatchObject({
      subscriptionId,
      event: 'install.status_changed',
      state: 'dead_lettered',
      attempts: 8,
      nextAttemptAt: null,
      finishedAt: expect.any(String),
      resource: { type: 'install_job', id: job.id },
      replayOf: null,
      bulkReplayId: null,
    });
    const sent = eventsReceivedAt('dead');
    expect(sent.map(({ body }) => body.toString('utf8'))).toEqual(ALL_ATTEMPTS.map(() => dead.body));
    expect(dead.attempts.map(({ deliveryId }) => deliveryId)).toEqual(sent.map(deliveryIdOf));
    expect(dead.attempts).toMatchObject(
      ALL_ATTEMPTS.map((number) => ({
        number,
        durationMs: expect.any(Number),
        outcome: 'rejected',
        responseStatus: 503,
        responseBody: FAILURE_PAGE.slice(0, KEPT_OF_AN_ANSWER),
        remoteAddress: '127.0.0.1',
        secretVersion: 1,
        exchange: {
          // The receiver's name leads to a fixed address; only other names are looked up.
          dnsMs: null,
          addresses: [],
          tlsProtocol: 'TLSv1.3',
          certificate: {
            subject: expect.stringContaining(RECEIVER_HOST),
            issuer: expect.any(String),
            validTo: expect.any(String),
          },
          firstByteMs: expect.any(Number),
        },
      })),
    );
    for (const { exchange } of dead.attempts) {
      const isNew = exchange?.reusedConnection === false;
      const step = isNew ? expect.any(Number) : null;
      expect(exchange).toMatchObject({ connectMs: step, tlsMs: step });
    }
    expect(await readSubscription(owner, subscriptionId)).toMatchObject({
      state: 'active',
      health: 'degraded',
    });
  });

  test('is replayed with the same event and body in up to 8 attempts of its own, and the first success makes the subscription healthy [DELIVERY-3, DELIVERY-12, REPLAY-1]', async () => {
    const { subscriptionId, dead } = await deadLetter('replayed');
    const again = await replay(dead.delivery.id);
    expect(again).toMatchObject({
      state: 'pending',
      attempts: 0,
      eventId: dead.delivery.eventId,
      replayOf: dead.delivery.id,
    });
    expect(again.id).not.toBe(dead.delivery.id);
    const deadAgain = await waitForDelivery(owner, again.id, (state) => state === 'dead_lettered');
    expect(deadAgain.attempts.map(({ number }) => number)).toEqual(ALL_ATTEMPTS);
    expect(await readSubscription(owner, subscriptionId)).toMatchObject({ health: 'degraded' });

    succeedAt('replayed');
    const last = await replay(again.id);
    const delivered = await waitForDelivery(owner, last.id, (state) => state === 'delivered');
    expect(delivered.attempts).toMatchObject([{ number: 1, outcome: 'delivered', responseStatus: 204 }]);
    expect(await readSubscription(owner, subscriptionId)).toMatchObject({ health: 'healthy' });

    const sent = eventsReceivedAt('replayed');
    expect(sent).toHaveLength(2 * ALL_ATTEMPTS.length + 1);
    expect(new Set(sent.map(({ body }) => body.toString('utf8')))).toEqual(new Set([dead.body]));
    expect(new Set(sent.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([dead.delivery.eventId]),
    );
    expect(new Set(sent.map(deliveryIdOf)).size).toBe(sent.length);
    expect((await waitForDelivery(owner, dead.delivery.id, () => true)).delivery).toEqual(dead.delivery);
  });

  test('is replayed once at a time: while its subscription is paused the replay is held, and a second one refused [DELIVERY-3, REPLAY-2, WEBHOOK-5]', async () => {
    const { subscriptionId, dead } = await deadLetter('held');
    await ask(200, 'POST', `/webhooks/${subscriptionId}/pause`);
    const held = await replay(dead.delivery.id);
    expect(held.state).toBe('held');
    const second = await ask(409, 'POST', `/deliveries/${dead.delivery.id}/replay`);
    expect(second.json).toMatchObject({
      code: 'replay_in_progress',
      error: expect.stringContaining(held.id),
    });
    const ofHeld = await ask(409, 'POST', `/deliveries/${held.id}/replay`);
    expect(ofHeld.json).toMatchObject({ code: 'delivery_not_replayable' });

    succeedAt('held');
    await ask(200, 'POST', `/webhooks/${subscriptionId}/activate`);
    await waitForDelivery(owner, held.id, (state) => state === 'delivered');
    expect(eventsReceivedAt('held')).toHaveLength(ALL_ATTEMPTS.length + 1);
  });
});

test('a delivery that is on its way, or a test, cannot be replayed [REPLAY-2]', async () => {
  const { id: subscriptionId } = await subscribe('on-its-way');
  answerAt('on-its-way', ASKS_TO_WAIT);
  const waiting = await deliveryAbout(subscriptionId, await move(await newJob()));
  await waitForDelivery(owner, waiting.id, (state) => state === 'retry_scheduled');
  const [testDelivery] = await listDeliveries(subscriptionId, '&event=install.test');
  for (const id of [waiting.id, testDelivery?.id ?? '']) {
    const refused = await ask(409, 'POST', `/deliveries/${id}/replay`);
    expect(refused.json).toMatchObject({ code: 'delivery_not_replayable' });
  }
  expect(await listDeliveries(subscriptionId)).toHaveLength(2);
});

describe('a bulk replay', () => {
  test('is previewed without an effect, then sends each event once more, none twice, and ends with all it counted [REPLAY-1, REPLAY-3]', async () => {
    const { id: subscriptionId } = await subscribe('bulk');
    const reached = await move(await newJob());
    await waitForAll(subscriptionId, 'delivered');
    answerAt('bulk', FAILS);
    const busy = await move(await move(await newJob()));
    const quiet = await move(await newJob());
    const before = await waitForAll(subscriptionId, 'delivered', 'dead_lettered');
    const dead = before.filter(({ state }) => state === 'dead_lettered');
    expect(dead).toHaveLength(3);
    succeedAt('bulk');
    const selection = { states: ['dead_lettered'], ...soFar(), perMinute: 60_000 };
    const path = `/webhooks/${subscriptionId}/replay`;
    const receivedBefore = receivedAt('bulk').length;

    const preview = await ask(200, 'POST', path, { ...selection, preview: true });
    expect(bulkReplayPreview.parse(preview.json)).toEqual({
      deliveries: 3,
      atLeast: false,
      oldest: dead.at(-1)?.createdAt,
      newest: dead[0]?.createdAt,
      resourceCount: 2,
      resources: [
        { type: 'install_job', id: busy.id, deliveries: 2 },
        { type: 'install_job', id: quiet.id, deliveries: 1 },
      ],
      estimatedMinutes: 1,
    });
    expect(await listDeliveries(subscriptionId)).toEqual(before);
    expect(await listReplays(subscriptionId)).toEqual([]);

    const begun = bulkReplay.parse((await ask(202, 'POST', path, selection)).json);
    expect(begun).toMatchObject({
      ...selection,
      subscriptionId,
      kind: 'replay',
      event: null,
      state: 'running',
      total: 3,
      queued: 0,
      finishedAt: null,
    });
    const done = await waitForReplay(begun.id, ({ state }) => state !== 'running');
    expect(done).toEqual({ ...begun, state: 'done', queued: 3, finishedAt: expect.any(String) });
    expect(await listReplays(subscriptionId)).toEqual([done]);

    const after = await waitForAll(subscriptionId, 'delivered', 'dead_lettered');
    const queued = after.filter(({ bulkReplayId }) => bulkReplayId === begun.id);
    expect(queued.map(({ state, attempts }) => [state, attempts])).toEqual(dead.map(() => ['delivered', 1]));
    expect(new Set(queued.map(({ replayOf }) => replayOf))).toEqual(new Set(dead.map(({ id }) => id)));
    const sentSince = receivedAt('bulk').slice(receivedBefore);
    expect(sentSince.map(({ envelope }) => envelope.id).toSorted()).toEqual(
      dead.map(({ eventId }) => eventId).toSorted(),
    );
    expect(sentSince.map(({ envelope }) => envelope.resource.id)).not.toContain(reached.id);

    const deadNow = await ask(200, 'POST', path, { ...selection, preview: true });
    expect(deadNow.json).toMatchObject({ deliveries: 0, oldest: null, newest: null, resources: [] });
    const both = { ...selection, states: ['dead_lettered', 'delivered'], preview: true };
    // Of three events there are two deliveries by now; each counts once.
    expect((await ask(200, 'POST', path, both)).json).toMatchObject({ deliveries: 4, resourceCount: 3 });
    const scheduled = { ...both, event: 'install.schedule_changed' };
    expect((await ask(200, 'POST', path, scheduled)).json).toMatchObject({ deliveries: 0 });
  });

  test('is the only one of its subscription, and queues nothing more once it is cancelled [REPLAY-3, REPLAY-4]', async () => {
    const { id: subscriptionId } = await subscribe('slow');
    await move(await move(await move(await newJob())));
    await waitForAll(subscriptionId, 'delivered');
    const path = `/webhooks/${subscriptionId}/replay`;
    const selection = { states: ['delivered'], ...soFar() };
    const slow = bulkReplay.parse((await ask(202, 'POST', path, { ...selection, perMinute: 1 })).json);
    expect(slow).toMatchObject({ state: 'running', total: 3, perMinute: 1 });
    expect(await waitForReplay(slow.id, ({ queued }) => queued > 0)).toMatchObject({
      state: 'running',
      queued: 1,
    });
    const second = await ask(409, 'POST', path, selection);
    expect(second.json).toMatchObject({
      code: 'replay_in_progress',
      error: expect.stringContaining(slow.id),
    });

    const cancelled = bulkReplay.parse((await ask(200, 'DELETE', `/replays/${slow.id}`)).json);
    expect(cancelled).toEqual({ ...slow, state: 'cancelled', queued: 1, finishedAt: expect.any(String) });
    expect((await ask(200, 'DELETE', `/replays/${slow.id}`)).json).toEqual(cancelled);
    await waitForAll(subscriptionId, 'delivered');
    expect(eventsReceivedAt('slow')).toHaveLength(4);

    const quick = await ask(202, 'POST', path, { ...selection, perMinute: 60_000 });
    const { id } = bulkReplay.parse(quick.json);
    const done = await waitForReplay(id, ({ state }) => state !== 'running');
    expect(done).toMatchObject({ state: 'done', total: 3, queued: 3 });
    await waitForAll(subscriptionId, 'delivered');
    expect(eventsReceivedAt('slow')).toHaveLength(7);
    expect(await listReplays(subscriptionId)).toEqual([done, cancelled]);
  });
});

describe('the deliveries of a subscription', () => {
  test('are filtered by state, event, group, resource and time, and paged without gap or overlap [WEBHOOK-10]', async () => {
    const { id: subscriptionId } = await subscribe('list', ['install.*']);
    const one = await schedule(await move(await newJob()));
    await waitForAll(subscriptionId, 'delivered');
    answerAt('list', ASKS_TO_WAIT);
    await move(await newJob());
    await move(one);
    const all = await waitForAll(subscriptionId, 'delivered', 'retry_scheduled');
    // One test, two assignments, three moves, one schedule.
    expect(all).toHaveLength(7);
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
    const [from, to] = [all[4]?.createdAt ?? '', all[1]?.createdAt ?? ''];
    const within = ({ createdAt }: Delivery) => createdAt >= from && createdAt < to;

    for (const [query, count, isMeant] of [
      ['&status=delivered', 4, ({ state }) => state === 'delivered'],
      ['&status=retry_scheduled', 3, ({ state }) => state === 'retry_scheduled'],
      ['&status=dead_lettered', 0, () => false],
      ['&event=install.schedule_changed', 1, ({ event }) => event === 'install.schedule_changed'],
      ['&event=install.status_changed', 3, ({ event }) => event === 'install.status_changed'],
      ['&event=install.*', 7, () => true],
      ['&event=quote.*', 0, () => false],
      [`&resourceId=${one.id}`, 4, ({ resource }) => resource.id === one.id],
      [`&from=${from}&to=${to}`, 3, within],
      [`&from=${to}`, 2, ({ createdAt }) => createdAt >= to],
      [`&to=${from}`, 2, ({ createdAt }) => createdAt < from],
      [
        `&resourceId=${one.id}&event=install.status_changed&status=delivered`,
        1,
        ({ resource, event, state }) =>
          resource.id === one.id && event === 'install.status_changed' && state === 'delivered',
      ],
    ] as const satisfies readonly (readonly [string, number, (delivery: Delivery) => boolean])[]) {
      const found = await listDeliveries(subscriptionId, query);
      expect([query, found]).toEqual([query, all.filter(isMeant)]);
      expect([query, found.length]).toEqual([query, count]);
    }
    expect(await inPages(subscriptionId, '')).toEqual(all);
    expect(await inPages(subscriptionId, `&resourceId=${one.id}`)).toEqual(
      all.filter(({ resource }) => resource.id === one.id),
    );
    const strange = await ask(400, 'GET', `/webhooks/${subscriptionId}/deliveries?cursor=nonsense`);
    expect(strange.json).toMatchObject({ code: 'cursor_invalid' });
  });
});

/** Reads a list two at a time to its end. */
async function inPages(subscriptionId: string, query: string): Promise<readonly Delivery[]> {
  const read: Delivery[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const at: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `/webhooks/${subscriptionId}/deliveries?limit=2${query}${at}`;
    const page = deliveryPage.parse((await ask(200, 'GET', path)).json);
    expect(page.deliveries.length).toBeLessThanOrEqual(2);
    read.push(...page.deliveries);
    cursor = page.nextCursor;
  }
  return read;
}

const traceEvent = async (eventId: string) =>
  eventWithTrail.parse((await ask(200, 'GET', `/events/${eventId}`)).json);

async function eventsAbout(resourceId: string, query = '') {
  return eventPage.parse((await ask(200, 'GET', `/events?resourceId=${resourceId}${query}`)).json);
}

describe('the trail of an event', () => {
  test('names the outcome at each subscription, or why it was not queued [EVENT-6, WEBHOOK-5]', async () => {
    const queued = await subscribe('traced');
    const paused = await subscribe('traced-paused');
    await ask(200, 'POST', `/webhooks/${paused.id}/pause`);
    const uninterested = await subscribe('traced-uninterested', ['install.schedule_changed']);
    const deleted = await subscribe('traced-deleted');
    await ask(204, 'DELETE', `/webhooks/${deleted.id}`);
    answerAt('traced', ASKS_TO_WAIT);
    const requestId = newId('evt');
    const job = await move(await newJob(), requestId);
    const waiting = await deliveryAbout(queued.id, job);
    const attempted = await waitForDelivery(owner, waiting.id, (state) => state === 'retry_scheduled');
    const later = await subscribe('traced-later');
    await ask(200, 'POST', `/webhooks/${paused.id}/activate`);

    const { events, explanation } = await eventsAbout(job.id, '&event=install.status_changed');
    expect([events.length, explanation]).toEqual([1, null]);
    expect((await eventsAbout(job.id)).events.map(({ event }) => event)).toEqual([
      'install.status_changed',
      'install.job_assigned',
    ]);
    const { event, body, subscriptions } = await traceEvent(waiting.eventId);
    expect(events).toEqual([event]);
    expect(event).toMatchObject({
      id: waiting.eventId,
      event: 'install.status_changed',
      resource: { type: 'install_job', id: job.id, version: job.version },
      schemaVersion: 1,
      requestId,
    });
    expect(eventsReceivedAt('traced').map((sent) => sent.body.toString('utf8'))).toEqual([body]);

    const verdictOf = ({ id }: { readonly id: string }) => {
      const found = subscriptions.find(({ subscriptionId }) => subscriptionId === id);
      return [found?.verdict, found?.deliveries.length];
    };
    expect(verdictOf(queued)).toEqual(['queued', 1]);
    expect(verdictOf(paused)).toEqual(['paused', 0]);
    expect(verdictOf(uninterested)).toEqual(['not_subscribed', 0]);
    expect(verdictOf(later)).toEqual(['created_later', 0]);
    expect(verdictOf(deleted)).toEqual(['deleted', 0]);
    const [traced] = subscriptions.filter(({ subscriptionId }) => subscriptionId === queued.id);
    expect(traced?.deliveries).toMatchObject([
      {
        delivery: attempted.delivery,
        attempts: [{ number: 1, outcome: 'rejected', responseStatus: 503 }],
      },
    ]);
    const { nextAttemptAt } = attempted.delivery;
    expect(Date.parse(nextAttemptAt ?? '')).toBeGreaterThan(Date.now());
  });

  test('says the same of a job of another installer as of one that does not exist [EVENT-6]', async () => {
    const foreign = await move(await newJob(otherInstaller), undefined, otherInstaller);
    const theirs = await stranger.call('GET', `/partner-api/events?resourceId=${foreign.id}`);
    expect(eventPage.parse(theirs.json).events.map(({ event }) => event)).toContain('install.status_changed');
    const unknown = await eventsAbout(newId('job'));
    expect(unknown).toEqual({ events: [], nextCursor: null, explanation: expect.any(String) });
    expect(await eventsAbout(foreign.id)).toEqual(unknown);
  });
});

describe('what belongs to a company', () => {
  let subscriptionId: string;
  let job: InstallerJob;
  let first: Delivery;
  let running: BulkReplay;

  beforeEach(async () => {
    ({ id: subscriptionId } = await subscribe('own'));
    job = await move(await move(await newJob()));
    const deliveries = await waitForAll(subscriptionId, 'delivered');
    const oldest = deliveries.findLast(({ event }) => event !== 'install.test');
    if (oldest === undefined) throw new Error('the moves were not queued');
    first = oldest;
    const begun = await ask(202, 'POST', `/webhooks/${subscriptionId}/replay`, {
      states: ['delivered'],
      ...soFar(),
      perMinute: 1,
    });
    const { id } = bulkReplay.parse(begun.json);
    running = await waitForReplay(id, ({ queued }) => queued === 1);
    await waitForAll(subscriptionId, 'delivered');
  });

  const reads = () => [
    `/webhooks/${subscriptionId}/deliveries`,
    `/webhooks/${subscriptionId}/replays`,
    `/deliveries/${first.id}`,
    `/deliveries/${String(eventsReceivedAt('own').map(deliveryIdOf).at(-1))}`,
    `/replays/${running.id}`,
    `/events/${first.eventId}`,
  ];
  const writes = () =>
    [
      ['POST', `/deliveries/${first.id}/replay`, {}],
      ['POST', `/webhooks/${subscriptionId}/replay`, { states: ['delivered'], ...soFar() }],
      ['POST', `/webhooks/${subscriptionId}/replay`, { states: ['delivered'], ...soFar(), preview: true }],
      ['DELETE', `/replays/${running.id}`, {}],
      ['POST', `/webhooks/${subscriptionId}/activate`, { backfill: true }],
    ] as const;

  /** Everything that its owner sees of it, and what was received. */
  async function seen() {
    const read: unknown[] = [await readSubscription(owner, subscriptionId)];
    for (const path of reads()) read.push((await ask(200, 'GET', path)).json);
    return [...read, eventsReceivedAt('own').map(deliveryIdOf)];
  }

  test('is 404 to the owner of another company by any route, and changes nothing [AUTH-6, EVENT-6, REPLAY-4, WEBHOOK-10]', async () => {
    const before = await seen();
    for (const [method, path, body] of [...reads().map((read) => ['GET', read] as const), ...writes()]) {
      const answer = await stranger.call(method, `/partner-api${path}`, body);
      expect([method, path, answer.status, answer.json]).toMatchObject([
        method,
        path,
        404,
        { code: 'not_found' },
      ]);
    }
    const about = await stranger.call('GET', `/partner-api/events?resourceId=${job.id}`);
    expect(eventPage.parse(about.json).events).toEqual([]);
    expect(await seen()).toEqual(before);
  });

  test('is 401 without a session, and changes nothing [AUTH-6]', async () => {
    const before = await seen();
    const { origin } = new URL(stack.baseUrl);
    for (const path of [...reads(), '/events']) {
      expect((await call(stack.baseUrl, `/partner-api${path}`)).status).toBe(401);
    }
    for (const [method, path, body] of writes()) {
      const answer = await call(stack.baseUrl, `/partner-api${path}`, { method, headers: { origin }, body });
      expect([method, path, answer.status]).toEqual([method, path, 401]);
    }
    expect(await seen()).toEqual(before);
  });

  test('is not changed by its owner from the page of another site [SESSION-2]', async () => {
    const before = await seen();
    for (const [method, path, body] of writes()) {
      const answer = await owner.call(method, `/partner-api${path}`, body, {
        origin: 'https://elsewhere.example',
      });
      expect([method, path, answer.status]).toEqual([method, path, 403]);
    }
    expect(await seen()).toEqual(before);
  });
});

describe('a back-fill', () => {
  test('is asked for by the activation, counts the events of the pause, and is listed, read and cancelled like a bulk replay [REPLAY-4, WEBHOOK-7]', async () => {
    const { id: subscriptionId } = await subscribe('back-fill');
    const job = await move(await newJob());
    await waitForAll(subscriptionId, 'delivered');
    await ask(200, 'POST', `/webhooks/${subscriptionId}/pause`);
    await schedule(await move(await move(job)));
    const activated = await ask(200, 'POST', `/webhooks/${subscriptionId}/activate`, { backfill: true });
    const { backfillId, state } = subscriptionActivated.parse(activated.json);
    expect(state).toBe('active');

    // It passes over events only when they are a minute old, and so has not begun with these.
    const [listed] = await listReplays(subscriptionId);
    expect(listed).toMatchObject({
      id: backfillId,
      subscriptionId,
      kind: 'backfill',
      states: null,
      event: null,
      state: 'running',
      total: 2,
      queued: 0,
      finishedAt: null,
    });
    expect(await readReplay(backfillId ?? '')).toEqual(listed);
    const { events } = await eventsAbout(job.id, '&event=install.status_changed');
    const [from, to] = [Date.parse(listed?.from ?? ''), Date.parse(listed?.to ?? '')];
    expect(
      events.filter(({ committedAt }) => Date.parse(committedAt) >= from && Date.parse(committedAt) <= to),
    ).toHaveLength(2);

    const cancelled = await ask(200, 'DELETE', `/replays/${backfillId ?? ''}`);
    expect(cancelled.json).toEqual({ ...listed, state: 'cancelled', finishedAt: expect.any(String) });
    expect(await listDeliveries(subscriptionId)).toHaveLength(2);
  });
});
