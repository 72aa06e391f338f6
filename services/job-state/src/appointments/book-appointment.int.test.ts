import { fromBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AppointmentBookedSchema } from '@partner/proto-contracts/gen/partner/leads/v1/appointment_service_pb';
import { appointmentBooked } from '@partner/proto-contracts/resources/appointment/appointment';
import { bookAppointmentOperation } from '@partner/proto-contracts/resources/appointment/operations';
import { webhookEnvelope } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import type { Database } from '../database/database.js';
import { createLead } from '../leads/create-lead.js';
import { generalKey } from '../testing/callers.js';
import { refusalOf } from '../testing/refusal-of.js';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { LEAD, binding, insertCompany, TEST_NOW } from '../testing/test-jobs.js';
import { webhookRows } from '../testing/webhook-fixture.js';
import { appointmentOperations, bookAppointment, type Booking } from './book-appointment.js';

let testDatabase: TestDatabase;
let database: Database;
let seller: string;
let otherSeller: string;
let own: { leadId: string; projectId: string };
let foreign: { leadId: string; projectId: string };
let houses = 0;

beforeAll(async () => {
  testDatabase = await createTestDatabase({ poolSize: 24 });
  ({ database } = testDatabase);
  [seller, otherSeller] = [await insertCompany(database, 'SALES'), await insertCompany(database, 'SALES')];
  [own, foreign] = [await insertLead(seller), await insertLead(otherSeller)];
});

afterAll(() => testDatabase.drop());

const deps = () => ({ database, clock: () => TEST_NOW, logger: silentLogger });

/** Submits a lead of the company and returns it with its project. */
async function insertLead(companyId: string): Promise<{ leadId: string; projectId: string }> {
  houses += 1;
  const { result } = await createLead(deps(), {
    ...LEAD,
    companyId,
    address: `${houses} Main Street, Boulder, CO 80302`,
  });
  return result;
}

/** An idempotency key of the body, bound as the gateway binds it. */
function keyed(key = newId('evt'), body = '{}') {
  return binding(key, 'POST /inbound/appointments', body);
}

const STARTS = new Date('2026-10-05T15:00:00.000Z');
const ENDS = new Date('2026-10-05T16:00:00.250Z');

function book(booking: Partial<Booking> = {}, on: Pick<Database, 'transaction'> = database) {
  return bookAppointment(
    { ...deps(), database: on },
    {
      companyId: seller,
      binding: keyed(),
      leadId: own.leadId,
      projectId: null,
      startsAt: STARTS,
      endsAt: ENDS,
      notes: null,
      timeoutMs: undefined,
      ...booking,
    },
  );
}

/** Row counts of every table that bookings write. */
async function traces() {
  const [row] = await database.query<Record<string, number>>(
    `select (select count(*)::int from appointments) as appointments,
       (select count(*)::int from events where name = 'appointment.booked') as events,
       (select count(*)::int from outbox where type = $1) as messages,
       (select count(*)::int from idempotency_keys) as keys`,
    [AppointmentBookedSchema.typeName],
  );
  invariant(row, 'counts have a row');
  return row;
}

function after(before: Record<string, number>, bookings: number, keys = bookings) {
  const grown = (name: string, by: number) => (before[name] ?? 0) + by;
  return {
    appointments: grown('appointments', bookings),
    events: grown('events', bookings),
    messages: grown('messages', bookings),
    keys: grown('keys', keys),
  };
}

describe('an appointment', () => {
  test('is booked with its event and its message in one transaction [EVENT-3]', async () => {
    const events = ['appointment.booked'];
    const subscriptionId = await webhookRows(database).subscription({ companyId: seller, events });
    const before = await traces();
    const { appointmentId, idempotency } = await book({ projectId: own.projectId, notes: 'Ring twice' });

    expect(appointmentId).toMatch(/^appt_[0-9a-z]{26}$/);
    expect(idempotency).toEqual({
      replayed: false,
      expiresAt: new Date(TEST_NOW.getTime() + 45 * 24 * 3_600_000),
    });
    expect(await traces()).toEqual(after(before, 1));
    expect(await database.query('select * from appointments where id = $1', [appointmentId])).toEqual([
      {
        id: appointmentId,
        company_id: seller,
        lead_id: own.leadId,
        project_id: own.projectId,
        starts_at: STARTS,
        ends_at: ENDS,
        notes: 'Ring twice',
        notes_version: 1,
        version: 1,
        emitted_versions: '{[1,2)}',
        created_at: TEST_NOW,
      },
    ]);

    const recorded = await database.query<{ company_id: string; body: Buffer; subscription_id: string }>(
      `select event.company_id, event.body, delivery.subscription_id
       from events as event join deliveries as delivery on delivery.event_id = event.id where event.resource_id = $1`,
      [appointmentId],
    );
    expect(recorded).toMatchObject([{ company_id: seller, subscription_id: subscriptionId }]);
    expect(webhookEnvelope.parse(JSON.parse(recorded[0]?.body.toString('utf8') ?? ''))).toMatchObject({
      event: 'appointment.booked',
      schemaVersion: 1,
      occurredAt: '2026-10-01T12:00:00.000Z',
      resource: { type: 'appointment', id: appointmentId, version: 1 },
      data: {
        appointmentId,
        leadId: own.leadId,
        projectId: own.projectId,
        startsAt: '2026-10-05T15:00:00.000Z',
        endsAt: '2026-10-05T16:00:00.250Z',
        notes: 'Ring twice',
      },
    });

    const messages = await database.query<{ body: Buffer; exchange: string }>(
      'select body, exchange from outbox where type = $1 order by id desc limit 1',
      [AppointmentBookedSchema.typeName],
    );
    expect(messages).toMatchObject([{ exchange: 'partner.events' }]);
    expect(messages.map(({ body }) => fromBinary(AppointmentBookedSchema, body))).toMatchObject([
      {
        appointmentId,
        companyId: seller,
        leadId: own.leadId,
        projectId: own.projectId,
        startsAt: timestampFromDate(STARTS),
        endsAt: timestampFromDate(ENDS),
        notes: 'Ring twice',
        bookedAt: timestampFromDate(TEST_NOW),
      },
    ]);
  });

  test('without a project is published with that of its lead, and to the platform without one [APPT-6]', async () => {
    const { appointmentId } = await book();
    const [event] = await database.query<{ body: Buffer }>('select body from events where resource_id = $1', [
      appointmentId,
    ]);
    expect(JSON.parse(event?.body.toString('utf8') ?? '')).toMatchObject({
      data: { appointmentId, projectId: own.projectId, notes: null },
    });
    const [message] = await database.query<{ body: Buffer }>(
      'select body from outbox where type = $1 order by id desc limit 1',
      [AppointmentBookedSchema.typeName],
    );
    const { projectId, notes } = fromBinary(AppointmentBookedSchema, message?.body ?? Buffer.alloc(0));
    expect({ projectId, notes }).toEqual({ projectId: undefined, notes: undefined });
  });

  test("replayed after its lead has become another company's still returns the first response", async () => {
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
      for (const id of [foreign[field], unknown, 'no id at all', '']) {
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
        'projectId: belongs to another lead than leadId. Send the project of this lead, or leave projectId out',
    });
    expect(await traces()).toEqual(before);
    const booked = await book({ binding: keyed(key.key, '{"another":"body"}'), projectId: own.projectId });
    expect(booked.idempotency).toMatchObject({ replayed: false });
  });

  test('can have a project of the company without a lead [APPT-5]', async () => {
    const projectId = newId('prj');
    await database.query('insert into projects (id, company_id) values ($1, $2)', [projectId, seller]);
    const { appointmentId } = await book({ projectId });
    expect(
      await database.query('select lead_id, project_id from appointments where id = $1', [appointmentId]),
    ).toEqual([{ lead_id: own.leadId, project_id: projectId }]);
  });

  test('sent many times concurrently is one appointment, one event and one message', async () => {
    for (let round = 0; round < 4; round += 1) {
      const key = keyed();
      const before = await traces();
      const responses = await Promise.all(Array.from({ length: 16 }, () => book({ binding: key })));
      expect(new Set(responses.map(({ appointmentId }) => appointmentId)).size).toBe(1);
      expect(responses.filter(({ idempotency }) => idempotency?.replayed === false)).toHaveLength(1);
      expect(await traces()).toEqual(after(before, 1));
    }
  });

  test('that fails half way leaves no trace and the key unused', async () => {
    const key = keyed();
    const before = await traces();
    const failing: Pick<Database, 'transaction'> = {
      transaction: (work, limits) =>
        database.transaction(async (tx) => {
          await work(tx);
          throw new Error('the process dies before the commit');
        }, limits),
    };
    await expect(book({ binding: key }, failing)).rejects.toThrow('dies');
    expect(await traces()).toEqual(before);
    expect((await book({ binding: key })).idempotency).toMatchObject({ replayed: false });
  });

  test('that ends when it starts is not stored, for any caller', async () => {
    await expect(book({ endsAt: STARTS })).rejects.toThrow('appointments_ends_at_check');
  });
});

describe('the operation', () => {
  async function call(key: string, given: object = {}) {
    const operations = inProcessOperations({
      implementations: appointmentOperations(deps()),
      callers: ['key'],
    });
    const times = { startsAt: '2026-10-05T15:00:00Z', endsAt: '2026-10-05T16:00:00.250Z' };
    const reply = await operations.call(bookAppointmentOperation, {
      caller: generalKey(seller),
      body: { leadId: own.leadId, ...times, idempotencyKey: key, ...given },
      idempotencyKey: { key, request: 'POST /inbound/appointments', bodySha256: '00'.repeat(32) },
    });
    return { ...appointmentBooked.parse(JSON.parse(reply.json)), ...reply };
  }

  test.each([
    ['a header could not hold', ' \t\r\n\u2028é/?"\'\\ %00'],
    ['are beyond the basic plane, 160 of them', '🏠'.repeat(160)],
    ['are combined', 'e\u0301'.repeat(80)],
  ])('accepts and distinguishes keys of characters that %s', async (_what, key) => {
    const first = await call(key);
    expect(first).toMatchObject({ status: 201, idempotency: { replayed: false } });
    expect(await call(key)).toMatchObject({ status: 200, json: first.json, idempotency: { replayed: true } });
    const other = await call(key.normalize('NFC').slice(0, -2));
    expect(other).toMatchObject({ status: 201, idempotency: { replayed: false } });
  });

  test('keeps the fields of the appointment', async () => {
    const { projectId } = own;
    const { appointmentId, json } = await call(newId('evt'), { projectId, notes: '' });
    expect(json).toBe(`{"appointmentId":"${appointmentId}","status":"booked"}`);
    const [stored] = await database.query(
      'select project_id, notes, starts_at, ends_at from appointments where id = $1',
      [appointmentId],
    );
    expect(stored).toEqual({ project_id: projectId, notes: '', starts_at: STARTS, ends_at: ENDS });
  });
});
