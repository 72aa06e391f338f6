import { createHash } from 'node:crypto';
import { beforeAll } from '@jest/globals';
import { AppointmentScheduledSchema } from '@partner/proto-contracts/gen/partner/platform/v1/sales_messages_pb';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { eventually } from '@partner/test-kit/eventually';
import { fixture } from '../../jobs/testing/job-write-fixture.js';
import type { Database } from '../../database/database.js';
import { appendJobNote, bookAppointment, createLead } from '../../testing/partner-calls.js';
import {
  binding,
  jobAssignedMessage,
  jobCreatedMessage,
  platformMessage,
  recordForTest,
  TEST_NOW,
} from '../../testing/test-jobs.js';
import { connectOperators } from '../../testing/public-clients.js';
import { stepErasure } from '../start-erasures.js';
import { TABLES } from '../../database/tables.js';

const clock = () => TEST_NOW;
export const operator = 'olga';

export { fixture };
/** Dependencies of writes, and of the loop. */
export let deps: {
  readonly database: Database;
  readonly clock: () => Date;
  readonly logger: typeof silentLogger;
};
/** Calls the operations of operators. */
export let client: ReturnType<typeof connect>;
let houses = 0;

beforeAll(() => {
  deps = { database: fixture.database, clock, logger: silentLogger };
  client = connect();
});

function connect() {
  return connectOperators({ ...deps, environment: 'sandbox', inFlight: 1 });
}

type Customer = Readonly<
  Record<'word' | 'email' | 'phone' | 'address' | 'leadId' | 'projectId' | 'jobId' | 'appointmentId', string>
>;

/** A customer with a row in every table that has personal data. Each of their texts contains `word`. */
export async function newCustomer(): Promise<Customer> {
  const sellingCompanyId = fixture.seller;
  houses += 1;
  const word = `cn${createHash('sha256').update(newId('evt')).digest('hex').slice(0, 12)}`;
  const digits = String(1_000_000 + houses);
  const phone = `+1 (720) ${digits.slice(0, 3)}-${digits.slice(3)}`;
  const email = `Ada.${word}@customers.example`;
  const street = `${houses} ${word} Street`;
  const address = `${street}, Boulder, CO 80302`;
  const about = { email, phone, address, smsConsent: true };
  const lead = { companyId: sellingCompanyId, fullName: `Ada ${word}`, ...about };
  const { leadId, projectId } = (await createLead(deps, lead)).result;
  const again = { fullName: `A. ${word}`, email: 'other@customers.example', phone: '720 555 0199' };
  await createLead(deps, { ...lead, ...again });
  const { appointmentId } = await book({ leadId, projectId }, `Ring ${word}`);
  const jobId = newId('job');
  await fixture.database.transaction(async (tx) => {
    const created = { jobId, sellingCompanyId, projectId, line1: street };
    await recordForTest(tx, jobCreatedMessage(created), TEST_NOW);
    await recordForTest(tx, jobAssignedMessage({ jobId, installerCompanyId: fixture.installer }), TEST_NOW);
  });
  const write = binding(newId('evt'), `POST /partner/v1/jobs/${jobId}/status-events`);
  await fixture.record({ jobId, expectedVersion: 1, binding: write, note: `met ${word}` });
  await appendJobNote(deps, {
    ...{ companyId: sellingCompanyId, installerCompanyId: fixture.installer, jobId, note: `call ${word}` },
    binding: binding(newId('evt'), `POST /inbound/jobs/${jobId}/status`),
  });
  await waits(leadId, `Knock, ${word}`);
  await receiverResponds(jobId, `thanks, ${word}`);
  return { word, email, phone, address, leadId, projectId, jobId, appointmentId };
}

/** Books an appointment with the seller. */
export function book(
  { leadId, projectId }: Pick<Customer, 'leadId' | 'projectId'>,
  notes: string,
  on: Parameters<typeof bookAppointment>[0] = deps,
) {
  return bookAppointment(on, {
    ...{ companyId: fixture.seller, binding: binding(newId('evt')), leadId, projectId, notes },
    ...{ startsAt: TEST_NOW, endsAt: new Date(TEST_NOW.getTime() + 3_600_000) },
  });
}

/** A message of the platform about a lead that waits for its project. */
async function waits(leadId: string, notes: string): Promise<void> {
  const appointmentId = newId('appt');
  const scheduled = { appointmentId, leadId, notes };
  const { messageId, type, body } = platformMessage(AppointmentScheduledSchema, scheduled);
  await fixture.database.query(
    `insert into inbox (message_id, received_at, prerequisite_id, resource_id, resource_version, type, body)
     values ($1, now(), 'prj_1', $2, 1, $3, $4)`,
    [messageId, appointmentId, type, Buffer.from(body)],
  );
}

/** A delivery of an event about a resource, with a response that repeats its text. */
async function receiverResponds(resourceId: string, text: string): Promise<void> {
  await fixture.database.query(
    `with delivery as (
       insert into finished_deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test, state,
         attempts, created_at, finished_at)
       select $1, 'whk_1', company_id, id, name, resource_type, resource_id, false, 'delivered', 1, now(), now()
       from events where resource_id = $2 limit 1 returning id
     )
     insert into delivery_attempts (delivery_id, id, number, started_at, duration_ms, outcome, response_body, response_headers,
       secret_version)
     select id, $3, 1, now(), 1, 'delivered', $4, $5, 1 from delivery`,
    [newId('dlv'), resourceId, newId('dlv'), Buffer.from(text), JSON.stringify([['x-echo', text]])],
  );
}

/** Searches to the end. */
export async function find(criteria: object) {
  let cursor: string | undefined;
  for (;;) {
    const step = await client.findPeople({ ...criteria, ...(cursor !== undefined && { cursor }) });
    ({ cursor } = step);
    if (cursor !== undefined) continue;
    invariant(step.found, 'the last step has the records');
    return step.found;
  }
}

/** Every row about the records of a search. */
export async function exported(criteria: object) {
  const { records } = await find(criteria);
  const rows: { table: string; row: Record<string, unknown> }[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.readPersonData({ records, ...(cursor !== undefined && { cursor }) });
    rows.push(...page.rows);
    ({ cursor } = page);
  } while (cursor !== undefined);
  return rows;
}

/** Begins the erasure of the records of a search, and returns its id. */
export async function begin(criteria: object, erasureId = newId('ers')): Promise<string> {
  const { records } = await find(criteria);
  await client.erasePerson({ erasureId, records });
  return erasureId;
}

/** Takes the steps that can be taken now. */
export async function proceed(): Promise<void> {
  while (await stepErasure(deps));
}

/** Takes all steps. They wait for transactions of other tests too, which run in other databases of the server. */
export async function finish(): Promise<void> {
  await eventually('the end of the erasures', async () => {
    await proceed();
    return (await fixture.database.query('select from erasures where finished_at is null')).length === 0;
  });
}

/** An erasure as operators see it. */
export async function readErasure(erasureId: string) {
  return (await client.listErasures({ erasureId })).erasures[0];
}

/** The columns of the whole database that contain a text, as text or as bytes. */
export async function placesOf(word: string): Promise<readonly string[]> {
  const rows = await fixture.database.query<{ place: string }>(
    TABLES.map(
      ({
        name,
      }) => `select distinct '${name}.' || e.key as place from ${name} t, json_each_text(row_to_json(t)) e
        where strpos(lower(e.value), $1) > 0 or strpos(e.value, $2) > 0`,
    ).join(' union all '),
    [word.toLowerCase(), Buffer.from(word).toString('hex')],
  );
  return rows.map(({ place }) => place).sort();
}

/** Where {@link newCustomer} leaves its word. */
export const PLACES =
  `appointments.notes delivery_attempts.response_body delivery_attempts.response_headers events.body
  feed_entries.resource idempotency_keys.outcome inbox.body job_status_events.note jobs.customer jobs.installer_note jobs.projection
  lead_submissions.address lead_submissions.full_name leads.address leads.email leads.full_name outbox.body
  projects.address_key`.split(/\s+/);
