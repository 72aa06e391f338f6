import { createClient } from '@connectrpc/connect';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { SandboxService } from '@partner/proto-contracts/gen/partner/sandbox/v1/sandbox_service_pb';
import {
  faultScript,
  NO_FAULTS,
  requestFaults,
} from '@partner/proto-contracts/resources/fault-script/fault-script';
import { readResource } from '@partner/proto-contracts/resource-json';
import { rpcService } from '@partner/kernel/amqp/rpc-service';
import { createApiKey, type Environment, type NewApiKey } from '@partner/kernel/api-key';
import { newId } from '@partner/kernel/ids';
import { silentLogger } from '@partner/kernel/logger';
import { createInMemoryTransport } from '@partner/kernel/testing/in-memory-transport';
import { createDatabase, type Database } from '../database/database.js';
import { recordEvent } from '../webhooks/events/record-event.js';
import { keyLookups } from '../testing/key-lookups.js';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { insertCompany } from '../testing/test-jobs.js';
import { createSandboxService } from './sandbox-service.js';

const ALL = {
  requests: [{ fault: 'server_error', status: 503, when: 'after', times: 2 }],
  webhooks: { duplicate: true, reorder: true },
} as const;

let testDatabase: TestDatabase;
let databases: Readonly<Record<Environment, Database>>;
let companyId: string;
let key: NewApiKey;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const { url, database } = testDatabase;
  databases = {
    production: database,
    sandbox: createDatabase({ url, poolSize: 2, logger: silentLogger, environment: 'sandbox' }),
  };
});

afterAll(async () => {
  await databases.sandbox.end();
  await testDatabase.drop();
});

beforeEach(async () => {
  companyId = await insertCompany(testDatabase.database, 'INSTALLER');
  key = createApiKey('sandbox');
  await testDatabase.database.query(
    `insert into api_keys (id, company_id, kind, secret_sha256, last_four) values ($1, $2, 'installer-company', $3, $4)`,
    [key.keyId, companyId, key.secretSha256, key.lastFour],
  );
});

const sandbox = () =>
  createClient(
    SandboxService,
    createInMemoryTransport([
      rpcService(SandboxService, createSandboxService({ database: databases.sandbox, logger: silentLogger })),
    ]),
  );

const set = (script: object, given: { companyId?: string } = {}) =>
  sandbox().setFaults({ companyId, keyId: key.keyId, scriptJson: JSON.stringify(script), ...given });

/** Returns the key's faults that the gateways of an environment receive. */
async function faultsFor(environment: Environment) {
  const deps = { database: databases[environment], clock: () => new Date(), logger: silentLogger };
  return (await keyLookups({ ...deps, environment }).authenticateKey(key)).faults;
}

const lastScript = async () =>
  readResource(faultScript, await sandbox().getFaults({ companyId, keyId: key.keyId }));

describe('a fault script', () => {
  test('is stored as set, sent to the gateways of the sandbox, and cleared', async () => {
    expect(await lastScript()).toEqual(NO_FAULTS);
    expect(await faultsFor('sandbox')).toBeNull();
    await set(ALL);
    expect(await lastScript()).toEqual(ALL);
    const first = requestFaults.parse(await faultsFor('sandbox'));
    expect(first.requests).toEqual(ALL.requests);

    await set(ALL);
    const again = requestFaults.parse(await faultsFor('sandbox'));
    expect(again.id).not.toBe(first.id);

    await sandbox().clearFaults({ companyId, keyId: key.keyId });
    await sandbox().clearFaults({ companyId, keyId: key.keyId });
    expect(await lastScript()).toEqual(NO_FAULTS);
    expect(await faultsFor('sandbox')).toBeNull();
    const trail = await testDatabase.database.query<{ action: string; subject_id: string }>(
      'select action, subject_id from audit_entries where company_id = $1 order by id',
      [companyId],
    );
    expect(trail).toEqual(
      ['api_key.faults_set', 'api_key.faults_set', 'api_key.faults_cleared'].map((action) => ({
        action,
        subject_id: key.keyId,
      })),
    );
  });

  test('that is stored in production is not sent to its gateways [SANDBOX-3]', async () => {
    await set(ALL);
    expect(await faultsFor('production')).toBeUndefined();
  });

  test("of another company's key cannot be read or changed", async () => {
    const other = await insertCompany(testDatabase.database, 'INSTALLER');
    const named = { companyId: other, keyId: key.keyId };
    await expect(sandbox().getFaults(named)).rejects.toMatchObject({ reason: 'not_found' });
    await expect(sandbox().clearFaults(named)).rejects.toMatchObject({ reason: 'not_found' });
    await expect(set(ALL, { companyId: other })).rejects.toMatchObject({ reason: 'not_found' });
    expect(await lastScript()).toEqual(NO_FAULTS);
  });

  test.each([
    ['a value that is not a script', { requests: 'none' }],
    ['too many steps', { requests: Array.from({ length: 21 }, () => ({ fault: 'rate_limited' })) }],
    ['a step with too long a delay', { requests: [{ fault: 'delay', delayMs: 20_001 }] }],
    ['a step with too many repeats', { requests: [{ fault: 'rate_limited', times: 101 }] }],
    ['an unknown fault', { requests: [{ fault: 'meltdown' }] }],
  ])('with %s is refused', async (_what, script) => {
    await expect(set(script)).rejects.toMatchObject({ reason: 'invalid_argument' });
    expect(await lastScript()).toEqual(NO_FAULTS);
  });
});

describe('webhooks under a fault script', () => {
  async function subscribe(): Promise<string> {
    const id = newId('whk');
    await testDatabase.database.query(
      `insert into subscriptions (id, company_id, url, events, state, schema_version, verified_url_version)
       values ($1, $2, 'https://receiver.test/', '{install.*}', 'active', 1, 1)`,
      [id, companyId],
    );
    return id;
  }

  async function record(environment: Environment): Promise<string> {
    const jobId = newId('job');
    const now = new Date();
    const { eventId } = await databases[environment].transaction((tx) =>
      recordEvent(tx, {
        companyId,
        event: 'install.job_unassigned',
        occurredAt: now,
        resource: { type: 'install_job', id: jobId, version: 7 },
        data: { jobId },
        now,
      }),
    );
    return eventId;
  }

  /** Ordered by due time. `held`: seconds from the commit until then. */
  const deliveries = () =>
    testDatabase.database.query<{ id: string; subscription_id: string; event_id: string; held: number }>(
      `select d.id, d.subscription_id, d.event_id,
         extract(epoch from d.next_attempt_at - e.inserted_at)::float8 as held
       from deliveries d
       join lateral (select min(n.next_attempt_at) as inserted_at from deliveries n where n.event_id = d.event_id) e on true
       where d.company_id = $1 order by d.next_attempt_at, d.id`,
      [companyId],
    );

  const webhooks = (faults: { duplicate?: boolean; reorder?: boolean }) => set({ webhooks: faults });

  test('are delivered twice, a second apart, to every subscription', async () => {
    const subscriptions = [await subscribe(), await subscribe()].sort();
    await webhooks({ duplicate: true });
    const eventId = await record('sandbox');
    const queued = await deliveries();
    expect(queued.map(({ event_id, held }) => [event_id, held])).toEqual([
      [eventId, 0],
      [eventId, 0],
      [eventId, 1],
      [eventId, 1],
    ]);
    expect(
      queued
        .slice(2)
        .map(({ subscription_id }) => subscription_id)
        .sort(),
    ).toEqual(subscriptions);
    expect(new Set(queued.map(({ id }) => id)).size).toBe(4);
  });

  test('of the same 4 seconds are due in the opposite order, within 8 seconds [SANDBOX-2]', async () => {
    await subscribe();
    await webhooks({ reorder: true });
    const windowOf = async () => {
      const [row] = await testDatabase.database.query<{ number: string }>(
        'select floor(extract(epoch from clock_timestamp()) / 4)::text as number',
      );
      return row?.number;
    };
    const events: { id: string; within: string | undefined }[] = [];
    for (let number = 0; number < 8; number += 1) {
      const before = await windowOf();
      const id = await record('sandbox');
      // An event recorded while a window ended can belong to either.
      events.push({ id, within: before === (await windowOf()) ? before : undefined });
    }
    const order = (await deliveries()).map(({ event_id }) => event_id);
    const windows = new Set(events.flatMap(({ within }) => within ?? []));
    expect(windows.size).toBeGreaterThan(0);
    for (const window of windows) {
      const ids = events.filter(({ within }) => within === window).map(({ id }) => id);
      expect(order.filter((id) => ids.includes(id))).toEqual(ids.toReversed());
    }
    const [due] = await testDatabase.database.query<{ soon: boolean }>(
      `select bool_and(next_attempt_at <= clock_timestamp() + interval '8 s') as soon from deliveries where company_id = $1`,
      [companyId],
    );
    expect(due?.soon).toBe(true);
  });

  test.each(['revoked_at', 'expires_at'])('are as usual once the key is inactive: %s', async (column) => {
    await subscribe();
    await webhooks({ duplicate: true, reorder: true });
    await testDatabase.database.query(
      `update api_keys set ${column} = now() - interval '1 s' where id = $1`,
      [key.keyId],
    );
    await record('sandbox');
    expect(await deliveries()).toHaveLength(1);
  });

  test('of another company are as usual, and all are in production, even with a stored script [SANDBOX-3]', async () => {
    await subscribe();
    await webhooks({ duplicate: true, reorder: true });
    const eventId = await record('production');
    const [only, ...others] = await deliveries();
    expect(others).toEqual([]);
    expect(only).toMatchObject({ event_id: eventId });
    const [due] = await testDatabase.database.query<{ now: boolean }>(
      'select bool_and(next_attempt_at <= now()) as now from deliveries where company_id = $1',
      [companyId],
    );
    expect(due?.now).toBe(true);

    companyId = await insertCompany(testDatabase.database, 'INSTALLER');
    await subscribe();
    await record('sandbox');
    expect(await deliveries()).toHaveLength(1);
  });
});
