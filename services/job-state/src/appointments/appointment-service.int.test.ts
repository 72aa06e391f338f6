import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { createClient } from '@connectrpc/connect';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AppointmentService } from '@partner/proto-contracts/gen/partner/leads/v1/appointment_service_pb';
import { rpcService } from '@partner/kernel/amqp/rpc-service';
import { newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import { silentLogger } from '@partner/kernel/logger';
import { createInMemoryTransport } from '@partner/kernel/testing/in-memory-transport';
import { type Database } from '../database/database.js';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { binding, insertCompany, TEST_NOW } from '../testing/test-jobs.js';
import { createAppointmentService } from './appointment-service.js';

let testDatabase: TestDatabase;
let database: Database;
let companyId: string;
const [leadId, projectId] = [newId('lead'), newId('prj')];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  ({ database } = testDatabase);
  companyId = await insertCompany(database, 'SALES');
  await database.query(
    `insert into leads (id, company_id, full_name, email, phone, address) values ($1, $2, '', '', '', '')`,
    [leadId, companyId],
  );
  await database.query('insert into projects (id, company_id) values ($1, $2)', [projectId, companyId]);
});

afterAll(() => testDatabase.drop());

const keyed = (key = newId('evt')) => binding(key, 'POST /inbound/appointments', '{}');

describe('the RPC of appointments', () => {
  const client = () => {
    const service = createAppointmentService({ database, clock: () => TEST_NOW, logger: silentLogger });
    return createClient(
      AppointmentService,
      createInMemoryTransport([rpcService(AppointmentService, service)]),
    );
  };
  const request = () => ({
    companyId,
    idempotencyKey: keyed(),
    leadId,
    startsAt: timestampFromDate(new Date('2026-10-05T15:00:00.000Z')),
    endsAt: timestampFromDate(new Date('2026-10-05T16:00:00.250Z')),
  });

  test.each([
    ['a header could not hold', ' \t\r\n\u2028é/?"\'\\ %00'],
    ['are beyond the basic plane, 160 of them', '🏠'.repeat(160)],
    ['are combined', 'e\u0301'.repeat(80)],
  ])('accepts and distinguishes keys of characters that %s', async (_what, key) => {
    const { bookAppointment: call } = client();
    const first = await call({ ...request(), idempotencyKey: keyed(key) });
    const repeat = await call({ ...request(), idempotencyKey: keyed(key) });
    const other = await call({ ...request(), idempotencyKey: keyed(key.normalize('NFC').slice(0, -2)) });
    expect(repeat.appointmentId).toBe(first.appointmentId);
    expect([first, repeat, other].map(({ idempotency }) => idempotency?.replayed)).toEqual([
      false,
      true,
      false,
    ]);
  });

  test('accepts every instant that a date-time can name', async () => {
    const [startsAt, endsAt] = [new Date('0000-01-01T00:00:00.000Z'), new Date('9999-12-31T23:59:59.999Z')];
    const { appointmentId } = await client().bookAppointment({
      ...request(),
      startsAt: timestampFromDate(startsAt),
      endsAt: timestampFromDate(endsAt),
    });
    expect(
      await database.query('select starts_at, ends_at from appointments where id = $1', [appointmentId]),
    ).toEqual([{ starts_at: startsAt, ends_at: endsAt }]);
  });

  test('returns the appointment, and until when the key can be replayed', async () => {
    const { appointmentId, idempotency, resourceJson } = await client().bookAppointment({
      ...request(),
      projectId,
      notes: '',
    });
    expect(resourceJson).toBe(`{"appointmentId":"${appointmentId}","status":"booked"}`);
    invariant(idempotency?.expiresAt, 'a key has an end');
    expect(timestampDate(idempotency.expiresAt)).toEqual(new Date(TEST_NOW.getTime() + 45 * 24 * 3_600_000));
    expect(
      await database.query('select project_id, notes from appointments where id = $1', [appointmentId]),
    ).toEqual([{ project_id: projectId, notes: '' }]);
  });

  test.each(['companyId', 'idempotencyKey', 'leadId', 'startsAt', 'endsAt'] as const)(
    'refuses a request without %s',
    async (field) => {
      const { [field]: _left, ...rest } = request();
      await expect(client().bookAppointment(rest)).rejects.toMatchObject({
        reason: 'invalid_argument',
      });
    },
  );
});
