import { fromBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { AppointmentBookedSchema } from '@partner/proto-contracts/gen/partner/leads/v1/appointment_service_pb';
import { webhookEnvelope } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { newId } from '@partner/kernel/process/ids';
import type { Database } from '../database/database.js';
import { database } from '../testing/file-database.js';
import { crashingBeforeCommit } from '../testing/hold-transaction.js';
import { bookAppointment, createLead } from '../testing/partner-calls.js';
import { refusalOf } from '../testing/refusal-of.js';
import { LEAD, binding, insertCompany, TEST_NOW } from '../testing/test-jobs.js';
import { webhookRows } from '../testing/webhook-fixture.js';

let seller: string;
let otherSeller: string;
let own: { leadId: string; projectId: string };
let foreign: { leadId: string; projectId: string };
let houses = 0;

beforeAll(async () => {
  [seller, otherSeller] = [await insertCompany(database, 'SALES'), await insertCompany(database, 'SALES')];
  [own, foreign] = [await insertLead(seller), await insertLead(otherSeller)];
});

/** Submits a lead of the company and returns it with its project. */
async function insertLead(companyId: string): Promise<{ leadId: string; projectId: string }> {
  houses += 1;
  const address = `${houses} Main Street, Boulder, CO 80302`;
  return (await createLead({ database }, { ...LEAD, companyId, address })).result;
}

/** An idempotency key of the body, bound as the gateway binds it. */
function keyed(key = newId('evt'), body = '{}') {
  return binding(key, 'POST /inbound/appointments', body);
}

const STARTS = new Date('2026-10-05T15:00:00.000Z');
const ENDS = new Date('2026-10-05T16:00:00.250Z');

function book(
  booking: Partial<Parameters<typeof bookAppointment>[1]> = {},
  on: Pick<Database, 'transaction'> = database,
) {
  const appointment = { companyId: seller, leadId: own.leadId, startsAt: STARTS, endsAt: ENDS };
  return bookAppointment({ database: on }, { binding: keyed(), ...appointment, ...booking });
}

const BODIES = {
  event: `select body from events where name = 'appointment.booked' order by id`,
  message: `select body from outbox where type = '${AppointmentBookedSchema.typeName}' order by id`,
};

/** What the last booking has published. */
async function lastPublished() {
  const event = await database.query<{ body: Buffer }>(BODIES.event);
  const message = await database.query<{ body: Buffer }>(BODIES.message);
  return {
    event: webhookEnvelope.parse(JSON.parse(event.at(-1)?.body.toString() ?? '')),
    message: fromBinary(AppointmentBookedSchema, message.at(-1)?.body ?? Buffer.alloc(0)),
  };
}

/** The rows in each table that bookings write. */
async function traces(): Promise<readonly number[]> {
  const texts = [...Object.values(BODIES), 'select from appointments', 'select from idempotency_keys'];
  return Promise.all(texts.map(async (text) => (await database.query(text)).length));
}

describe('an appointment', () => {
  test('is booked with its event and its message in one transaction [EVENT-3]', async () => {
    const events = ['appointment.booked'];
    const subscriptionId = await webhookRows(database).subscription({ companyId: seller, events });
    const before = await traces();
    const { appointmentId, idempotency } = await book({ projectId: own.projectId, notes: 'Ring twice' });

    expect(appointmentId).toMatch(/^appt_[0-9a-z]{26}$/);
    const expiresAt = new Date(TEST_NOW.getTime() + 45 * 24 * 3_600_000);
    expect(idempotency).toEqual({ replayed: false, expiresAt });
    expect(await traces()).toEqual(before.map((count) => count + 1));
    expect(await database.query('select * from appointments where id = $1', [appointmentId])).toEqual([
      {
        ...{ id: appointmentId, company_id: seller, lead_id: own.leadId, project_id: own.projectId },
        ...{ starts_at: STARTS, ends_at: ENDS, notes: 'Ring twice', notes_version: 1 },
        ...{ version: 1, emitted_versions: '{[1,2)}', created_at: TEST_NOW },
      },
    ]);

    const deliveries = await database.query(
      `select event.company_id, delivery.subscription_id
       from events as event join deliveries as delivery on delivery.event_id = event.id where event.resource_id = $1`,
      [appointmentId],
    );
    expect(deliveries).toEqual([{ company_id: seller, subscription_id: subscriptionId }]);
    const { event, message } = await lastPublished();
    const ids = { appointmentId, leadId: own.leadId, projectId: own.projectId };
    expect(event).toMatchObject({
      ...{ event: 'appointment.booked', schemaVersion: 1, occurredAt: '2026-10-01T12:00:00.000Z' },
      resource: { type: 'appointment', id: appointmentId, version: 1 },
      data: {
        ...{ ...ids, notes: 'Ring twice' },
        ...{ startsAt: '2026-10-05T15:00:00.000Z', endsAt: '2026-10-05T16:00:00.250Z' },
      },
    });
    expect(message).toMatchObject({
      ...{ ...ids, companyId: seller, notes: 'Ring twice', bookedAt: timestampFromDate(TEST_NOW) },
      ...{ startsAt: timestampFromDate(STARTS), endsAt: timestampFromDate(ENDS) },
    });
  });

  test('without a project is published with that of its lead, and to the platform without one [APPT-6]', async () => {
    const { appointmentId } = await book();
    const { event, message } = await lastPublished();
    expect(event).toMatchObject({ data: { appointmentId, projectId: own.projectId, notes: null } });
    expect([message.projectId, message.notes]).toEqual([undefined, undefined]);
  });

  test("repeated after its lead has become another company's still returns the first response", async () => {
    const { leadId } = await insertLead(seller);
    const key = keyed();
    const first = await book({ binding: key, leadId });
    await database.query('update leads set company_id = $2 where id = $1', [leadId, otherSeller]);
    expect(await book({ binding: key, leadId })).toMatchObject({ appointmentId: first.appointmentId });
    expect(await refusalOf(book({ leadId }))).toMatchObject({ reason: 'permission_denied' });
  });
});

describe('a request to book an appointment', () => {
  test.each([
    ['a lead', 'leadId', 'lead'],
    ['a project', 'projectId', 'project'],
  ] as const)(
    'with %s of another company or an unknown one is refused alike, writes nothing and leaves the key unused',
    async (_what, field, noun) => {
      const key = keyed();
      const before = await traces();
      const unknown = newId(field === 'leadId' ? 'lead' : 'prj');
      for (const id of [foreign[field], unknown, 'no id at all']) {
        const error = await refusalOf(book({ binding: key, [field]: id }));
        expect({ reason: error.reason, message: error.message, attributes: error.attributes }).toEqual({
          reason: 'permission_denied',
          message: `${field}: must be a ${noun} of the company that owns the key`,
          attributes: {},
        });
      }
      expect(await traces()).toEqual(before);
      const booked = await book({ binding: keyed(key.key, '{"another":"body"}') });
      expect(booked.idempotency).toMatchObject({ replayed: false });
    },
  );

  test('that fails half way leaves no trace, and the key unused', async () => {
    const key = keyed();
    const before = await traces();
    await expect(book({ binding: key }, crashingBeforeCommit(database))).rejects.toMatchObject({
      reason: 'internal',
    });
    expect(await traces()).toEqual(before);
    expect((await book({ binding: key })).idempotency).toMatchObject({ replayed: false });
  });

  test('with neither the lead nor the project of the company reports the lead', async () => {
    expect((await refusalOf(book(foreign))).message).toMatch(/^leadId: /);
  });

  test('with the project of another lead of the company is an invalid argument, and leaves the key unused [APPT-5]', async () => {
    const other = await insertLead(seller);
    const key = keyed();
    const before = await traces();
    expect(await refusalOf(book({ binding: key, projectId: other.projectId }))).toMatchObject({
      reason: 'invalid_argument',
      message:
        'projectId: belongs to a different lead than leadId; send the project of this lead, or omit projectId',
    });
    expect(await traces()).toEqual(before);
    const booked = await book({ binding: keyed(key.key, '{"another":"body"}'), projectId: own.projectId });
    expect(booked.idempotency).toMatchObject({ replayed: false });
  });

  test('can have a project of the company without a lead [APPT-5]', async () => {
    const projectId = newId('prj');
    await database.query('insert into projects (id, company_id) values ($1, $2)', [projectId, seller]);
    const { appointmentId } = await book({ projectId });
    const stored = 'select lead_id, project_id from appointments where id = $1';
    const ids = { lead_id: own.leadId, project_id: projectId };
    expect(await database.query(stored, [appointmentId])).toEqual([ids]);
  });

  test.each([
    ['a header could not hold', ' \t\r\n\u2028é/?"\'\\ %00'],
    ['are beyond the basic plane, 160 of them', '🏠'.repeat(160)],
    ['are combined', 'e\u0301'.repeat(80)],
  ])('accepts and distinguishes keys of characters that %s', async (_what, key) => {
    const first = await book({ binding: keyed(key) });
    expect(first).toMatchObject({ status: 201, idempotency: { replayed: false } });
    expect(await book({ binding: keyed(key) })).toEqual({
      ...{ ...first, status: 200, idempotency: { ...first.idempotency, replayed: true } },
    });
    const other = await book({ binding: keyed(key.normalize('NFC').slice(0, -2)) });
    expect(other).toMatchObject({ status: 201, idempotency: { replayed: false } });
  });
});
