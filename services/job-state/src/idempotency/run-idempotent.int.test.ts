import { createClient } from '@connectrpc/connect';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { rpcService } from '@partner/runtime/amqp/rpc-service';
import { createApiKey } from '@partner/runtime/api-key';
import { newId } from '@partner/runtime/ids';
import { silentLogger } from '@partner/runtime/logger';
import { createInMemoryTransport } from '@partner/runtime/testing/in-memory-transport';
import { eventually } from '@partner/runtime/testing/eventually';
import { z } from 'zod';
import { createAccessService } from '../access/access-service.js';
import { createDatabase, type Database } from '../database/database.js';
import { getJob } from '../jobs/get-job.js';
import { recordStatusEvent } from '../jobs/record-status-event.js';
import { createGate } from '../testing/create-gate.js';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { runIdempotent } from './run-idempotent.js';
import { binding, insertAssignedJob, insertCompany, TEST_NOW } from '../testing/test-jobs.js';

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase({ poolSize: 10 });
});

afterAll(() => testDatabase.drop());

test('the writes of a company whose row is stuck leave connections to authentication and to other companies', async () => {
  const { database, url } = testDatabase;
  const seller = await insertCompany(database, 'SALES');
  const [stuck, other] = [
    await insertCompany(database, 'INSTALLER'),
    await insertCompany(database, 'INSTALLER'),
  ];
  const jobId = await insertAssignedJob(database, seller, stuck);
  const otherJobId = await insertAssignedJob(database, seller, other);
  const key = createApiKey('sandbox');
  await database.query(
    `insert into api_keys (id, company_id, kind, secret_sha256, last_four) values ($1, $2, 'installer-company', $3, $4)`,
    [key.keyId, other, key.secretSha256, key.lastFour],
  );

  const elsewhere = createDatabase({ url, poolSize: 2, logger: silentLogger });
  const locked = createGate();
  const released = createGate();
  const holder = elsewhere.transaction(async (tx) => {
    await tx.query('select 1 from jobs where id = $1 for update', [jobId]);
    locked.open();
    await released.opened;
  });
  await locked.opened;
  const deps = { database, clock: () => TEST_NOW, logger: silentLogger };
  const write = (companyId: string, id: string) =>
    recordStatusEvent(deps, {
      companyId,
      jobId: id,
      binding: binding(newId('evt')),
      status: 'ACKNOWLEDGED',
      occurredAt: TEST_NOW,
      note: null,
      blockerCode: null,
      expectedVersion: 1,
      timeoutMs: 1_500,
    });
  const writes = Array.from({ length: 50 }, () => write(stuck, jobId));
  const settled = Promise.allSettled(writes);
  await eventually('half of the pool waits for the row', async () => {
    const [{ waiting } = { waiting: 0 }] = await elsewhere.query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return waiting >= 5;
  });

  const access = createClient(
    AccessService,
    createInMemoryTransport([
      rpcService(AccessService, createAccessService({ ...deps, keyUsage: { note: () => undefined } })),
    ]),
  );
  const answers = Promise.all([
    access.authenticateKey(key, { timeoutMs: 1_000 }),
    getJob({ database }, { companyId: other, jobId: otherJobId }),
    write(other, otherJobId),
  ]);
  expect(await Promise.race([answers.then(() => 'others'), settled.then(() => 'stuck')])).toBe('others');

  for (const outcome of await settled) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { reason: 'unavailable' } });
  }
  released.open();
  await holder;
  await elsewhere.end();
  expect(await getJob({ database }, { companyId: stuck, jobId })).toContain('"version":1');
});

test('a request whose key is in use waits 2 seconds for the one that has it', async () => {
  const limits: unknown[] = [];
  const { database } = testDatabase;
  const companyId = await insertCompany(database, 'INSTALLER');
  const watched: Pick<Database, 'transaction'> = {
    transaction: (work, given) => {
      limits.push(given);
      return database.transaction(work, given);
    },
  };
  await runIdempotent(
    { database: watched, clock: () => TEST_NOW },
    {
      companyId,
      binding: binding(newId('evt')),
      result: z.string(),
      work: async () => ({ kind: 'done', result: 'done' }),
    },
  );
  expect(limits).toMatchObject([{ lockTimeoutMs: 2_000 }]);
});
