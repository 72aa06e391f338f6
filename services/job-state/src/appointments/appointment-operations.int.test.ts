import { beforeAll, expect, test } from '@jest/globals';
import { appointmentBooked } from '@partner/proto-contracts/resources/appointment/appointment';
import { bookAppointmentOperation } from '@partner/proto-contracts/resources/appointment/operations';
import { newId } from '@partner/kernel/process/ids';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { generalKey } from '../testing/callers.js';
import { insertCompany, TEST_NOW } from '../testing/test-jobs.js';
import { appointmentOperations } from './book-appointment.js';
import { database } from '../testing/file-database.js';

let companyId: string;
const [leadId, projectId] = [newId('lead'), newId('prj')];

beforeAll(async () => {
  companyId = await insertCompany(database, 'SALES');
  await database.query(
    `insert into leads (id, company_id, full_name, email, phone, address) values ($1, $2, '', '', '', '')`,
    [leadId, companyId],
  );
  await database.query('insert into projects (id, company_id) values ($1, $2)', [projectId, companyId]);
});

const EXPIRES_AT = new Date(TEST_NOW.getTime() + 45 * 24 * 3_600_000);

async function book(key: string, given: object = {}) {
  const { call } = inProcessOperations({
    implementations: appointmentOperations({ database, clock: () => TEST_NOW, logger: silentLogger }),
    callers: ['key'],
  });
  const times = { startsAt: '2026-10-05T15:00:00Z', endsAt: '2026-10-05T16:00:00.250Z' };
  const reply = await call(bookAppointmentOperation, {
    caller: generalKey(companyId),
    body: { leadId, ...times, idempotencyKey: key, ...given },
    idempotencyKey: { key, request: 'POST /inbound/appointments', bodySha256: '00'.repeat(32) },
  });
  return { ...appointmentBooked.parse(JSON.parse(reply.json)), ...reply };
}

test.each([
  ['a header could not hold', ' \t\r\n\u2028é/?"\'\\ %00'],
  ['are beyond the basic plane, 160 of them', '🏠'.repeat(160)],
  ['are combined', 'e\u0301'.repeat(80)],
])('accepts and distinguishes keys of characters that %s', async (_what, key) => {
  const first = await book(key);
  expect(first).toMatchObject({ status: 201, idempotency: { replayed: false, expiresAt: EXPIRES_AT } });
  const idempotency = { replayed: true, expiresAt: EXPIRES_AT };
  expect(await book(key)).toMatchObject({ status: 200, json: first.json, idempotency });
  const other = await book(key.normalize('NFC').slice(0, -2));
  expect(other).toMatchObject({ status: 201, idempotency: { replayed: false } });
});

test('keeps the fields of the appointment', async () => {
  const { appointmentId, json } = await book(newId('evt'), { projectId, notes: '' });
  expect(json).toBe(`{"appointmentId":"${appointmentId}","status":"booked"}`);
  const [stored] = await database.query(
    'select project_id, notes, starts_at, ends_at from appointments where id = $1',
    [appointmentId],
  );
  expect(stored).toEqual({
    project_id: projectId,
    notes: '',
    starts_at: new Date('2026-10-05T15:00:00.000Z'),
    ends_at: new Date('2026-10-05T16:00:00.250Z'),
  });
});
