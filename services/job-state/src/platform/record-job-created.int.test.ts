import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/ids';
import { silentLogger } from '@partner/kernel/logger';
import { eventually } from '@partner/test-kit/eventually';
import { Registry } from 'prom-client';
import { createLead } from '../leads/create-lead.js';
import { createGate } from '../testing/create-gate.js';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { insertCompany, jobCreatedMessage, TEST_NOW } from '../testing/test-jobs.js';
import { createPlatformMessageHandler } from './handle-platform-message.js';

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});

afterAll(() => testDatabase.drop());

test('a job whose address a concurrent lead takes is recorded at once, and its project has no address [LEAD-5, PLATFORM-4]', async () => {
  const { database } = testDatabase;
  const seller = await insertCompany(database, 'SALES');
  const [projectId, jobId] = [newId('prj'), newId('job')];
  // Known without an address, so the job adds one to it.
  await database.query('insert into projects (id, company_id) values ($1, $2)', [projectId, seller]);
  const [written, commit] = [createGate(), createGate()];
  const deps = { clock: () => TEST_NOW, logger: silentLogger };
  const lead = createLead(
    {
      ...deps,
      database: {
        transaction: (work, limits) =>
          database.transaction(async (tx) => {
            const result = await work(tx);
            await tx.query('select');
            written.open();
            await commit.opened;
            return result;
          }, limits),
      },
    },
    {
      companyId: seller,
      binding: undefined,
      fullName: 'Jordan Ellis',
      email: 'jordan@customers.example',
      phone: '+1 555 0100',
      address: '12 Maple Street, Boulder, CO 80302',
      smsConsent: null,
      timeoutMs: undefined,
    },
  );
  await written.opened;
  const handle = createPlatformMessageHandler({ ...deps, database, metrics: new Registry() });
  const handled = handle(jobCreatedMessage({ jobId, sellingCompanyId: seller, projectId }));
  await eventually('the job waits for the lead', async () => {
    const waiting = await database.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return waiting.length === 1;
  });
  commit.open();

  const { result } = await lead;
  expect(result.kind).toBe('created');
  expect(await handled).toEqual({ kind: 'done' });
  const projects = await database.query(
    'select id, address_key is not null as "hasAddress" from projects where company_id = $1 order by id = $2',
    [seller, projectId],
  );
  expect(projects).toEqual([
    { id: result.projectId, hasAddress: true },
    { id: projectId, hasAddress: false },
  ]);
  expect(await database.query('select project_id as id from jobs where id = $1', [jobId])).toEqual([
    { id: projectId },
  ]);
});
