import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { RECEIVER_HOST } from '@partner/local-stack/stack/receiver-hosts';
import { PLATFORM_MESSAGES } from '@partner/proto-contracts/topology';
import { eventually } from '@partner/test-kit/eventually';
import type { Call } from '@partner/test-kit/http-call';
import { readMetric } from '@partner/test-kit/read-metric';
import { z } from 'zod';
import { brokenCode, COPY_EVENT, NUMBERS_FROM_A_SEQUENCE } from './deliveries/broken-code.js';
import { checkHistory } from './deliveries/check-history.js';
import type { AcknowledgedWrite } from './deliveries/delivery-history.js';
import type { INVARIANTS } from './deliveries/invariants.js';
import { openSubscription } from './deliveries/owner-moves.js';
import { followFeeds, partnerCompany } from './deliveries/partner-readings.js';
import { callUntilResponse } from './support/http-call.js';
import { signIn } from './support/owner-session.js';
import { publishNewJob, waitUntilAssigned } from './support/platform-job.js';
import { apiKeyOf, startTestStack, type TestStack } from './support/test-stack.js';

const PATH = '/slow';
/** Several polls of the scheduler. */
const RESPONSE_MS = 1_000;

/** Has each message of the platform fail. */
const REFUSE_MESSAGES = `
  create function refuse_message() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
  create trigger refuse_message before insert on inbox execute function refuse_message()`;

let stack: TestStack;
let violations: readonly string[];
let lostJobId: string;
let sentJobId: string;
const lateEventId = newId('evt');

beforeAll(async () => {
  stack = await startTestStack({
    settings: { 'job-state': { NODE_OPTIONS: brokenCode(), SCHEDULER_INTERVAL_MS: '50' } },
    respond: () => ({ kind: 'status', status: 204, afterMs: RESPONSE_MS }),
  });
  await stack.database.query(NUMBERS_FROM_A_SEQUENCE);
  violations = await checkHistory(stack.database, await playBrokenHistory());
});

afterAll(() => stack.stop());

async function playBrokenHistory() {
  const { database } = stack;
  const [installer, seller] = [stack.company('INSTALLER'), stack.company('SALES')];
  const beganAt = Date.now();
  const writes: AcknowledgedWrite[] = [];
  const noteWrite = (companyId: string, name: string, resourceId: string) =>
    writes.push({
      ...{ companyId, sentAt: beganAt, respondedAt: Date.now() },
      tells: [{ name, resourceId, resourceVersion: 1 }],
    });
  const read: string[] = [];
  async function send(path: string, request: Call) {
    const response = await callUntilResponse(stack.baseUrl, path, request);
    read.push(response.text);
    return response;
  }
  const partners = followFeeds([installer, seller].map(partnerCompany), send);
  const { history: subscription } = await openSubscription(await signIn(stack.baseUrl, installer.owner), {
    ...{ companyId: installer.id, origin: `https://${RECEIVER_HOST}`, path: PATH },
    events: ['install.job_assigned'],
  });

  async function assign(): Promise<string> {
    const pair = { sellingCompanyId: seller.id, installerCompanyId: installer.id };
    const jobId = await publishNewJob(stack, pair);
    noteWrite(installer.id, 'install.job_assigned', jobId);
    return jobId;
  }
  await database.query(REFUSE_MESSAGES);
  lostJobId = await assign();
  const { adminUrl = '' } = stack.stack.description.services['job-state'] ?? {};
  const failed = { queue: PLATFORM_MESSAGES.name, outcome: 'failed' };
  await eventually('both messages have failed', async () => {
    return (await readMetric(adminUrl, 'partner_consumer_outcomes_total', failed)) >= 2;
  });
  await database.query('drop trigger refuse_message on inbox');
  sentJobId = await assign();
  await waitUntilAssigned(database, [sentJobId]);

  const headers = { 'x-api-key': apiKeyOf(seller, 'general') };
  async function post<T>(path: string, schema: z.ZodType<T>, body: object): Promise<T> {
    return schema.parse((await send(path, { method: 'POST', headers, body })).json);
  }
  const { leadId } = await post('/inbound/leads', z.object({ leadId: z.string() }), {
    ...{ fullName: 'Ada Quill', email: 'ada@example.com', phone: '555-0100', address: '1 Main St, Austin' },
  });
  async function book(): Promise<string> {
    const { appointmentId } = await post('/inbound/appointments', z.object({ appointmentId: z.string() }), {
      ...{ leadId, idempotencyKey: newId('appt') },
      ...{ startsAt: '2027-01-01T15:00:00.000Z', endsAt: '2027-01-01T16:00:00.000Z' },
    });
    noteWrite(seller.id, 'appointment.booked', appointmentId);
    return appointmentId;
  }
  const first = await book();
  const events = await database.query<{ id: string }>('select id from events where resource_id = $1', [
    first,
  ]);
  const late = await database.connect();
  try {
    await late.query('begin');
    const lateAppointmentId = newId('appt');
    await late.query(COPY_EVENT, [events.rows[0]?.id, lateEventId, lateAppointmentId]);
    const early = await book();
    const isRead = (text: string) => text.includes('"webhook-id"') && text.includes(early);
    await eventually('the later event is read', () => read.some(isRead));
    await late.query('commit');
    noteWrite(seller.id, 'appointment.booked', lateAppointmentId);
  } finally {
    late.release();
  }
  await stack.deliveriesAreFinished();
  const subscriptions = [subscription];
  return {
    ...{ beganAt, companyIds: [installer.id, seller.id], writes, subscriptions },
    ...{ leads: [], unsettled: [], settings: { retryBaseMs: 1_000, leaseMs: 30_000, underWayMs: 18_000 } },
    requests: stack.receiver.received,
    readings: await partners.finish(subscriptions),
  };
}

/** What is said of a violated rule. */
function found(invariant: keyof typeof INVARIANTS): string {
  return violations.filter((violation) => violation.startsWith(`not so: ${invariant}: `)).join('\n');
}

test('the check of a history finds what an early acknowledgement loses', () => {
  const lost = found('each acknowledged write has made each of its events once');
  expect(lost).toContain(lostJobId);
  expect(lost).toContain('"verdict":"LOST"');
  expect(found('each acknowledged version of a job is in the feed of its company once')).toContain(lostJobId);
});

test('the check of a history finds what is sent twice without a check of the lease', async () => {
  const events = await stack.database.query<{ id: string }>('select id from events where resource_id = $1', [
    sentJobId,
  ]);
  const eventId = events.rows[0]?.id ?? 'no event';
  const finish = 'a delivery finishes with the first 2xx, or as a dead letter with the 8th failed attempt';
  expect(found(finish)).toContain(eventId);
  expect(found('a receiver that has taken an event does not get it again')).toContain(PATH);
});

test('the check of a history finds what a reader misses whose cursor comes from a sequence', () => {
  const skipped = found(
    'a reader that follows a feed by its cursor reads the same as one that comes afterwards',
  );
  expect(skipped).toContain(lateEventId);
  expect(skipped).toContain('"verdict":"LOST"');
});
