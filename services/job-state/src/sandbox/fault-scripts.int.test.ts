import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  faultScript,
  NO_FAULTS,
  requestFaults,
} from '@partner/proto-contracts/resources/fault-script/fault-script';
import {
  clearFaultsOperation,
  getFaultsOperation,
  setFaultsOperation,
} from '@partner/proto-contracts/resources/fault-script/operations';
import { type Environment, type NewApiKey } from '@partner/kernel/security/api-key';
import { newId } from '@partner/kernel/process/ids';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { attemptOnce } from '@partner/kernel/testing/attempt-once';
import { createInMemoryPublisher } from '@partner/kernel/testing/in-memory-publisher';
import { createLifecycle } from '@partner/kernel/process/lifecycle';
import { Registry } from 'prom-client';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { recordEvent } from '../webhooks/events/record-event.js';
import { claimAll } from '../testing/claim-all.js';
import { installerOwner } from '../testing/callers.js';
import { keyLookups } from '../testing/key-lookups.js';
import { testConfig } from '../testing/test-implementations.js';
import { insertApiKey, insertCompany } from '../testing/test-jobs.js';
import { webhookRows } from '../testing/webhook-fixture.js';
import { startWebhookLoops } from '../start-webhook-loops.js';
import { faultOperations } from './fault-scripts.js';
import { webhookFaults } from './webhook-faults.js';
import { database, testDatabase } from '../testing/file-database.js';

const LIMITS = { batchSize: 100, leaseSeconds: 30, inFlight: 1_000, subscriptionCap: 100 };

const ALL = {
  requests: [{ fault: 'server_error', status: 503, when: 'after', times: 2 }],
  webhooks: { duplicate: true, reorder: true },
} as const;

let companyId: string;
let key: NewApiKey;

beforeEach(async () => {
  companyId = await insertCompany(database, 'INSTALLER');
  key = await insertApiKey(database, { companyId });
});

const operations = () => {
  const implementations = faultOperations({ database, logger: silentLogger });
  return inProcessOperations({ implementations, callers: ['owner'] });
};

/** Calls an operation for the key as an owner of a company, by default of the key's. */
const call = (
  operation: { readonly id: string },
  { of = companyId, body }: { of?: string | undefined; body?: object } = {},
) => operations().call(operation, { caller: installerOwner(of), params: { id: key.keyId }, body });

const set = (script: object, of?: string) => call(setFaultsOperation, { of, body: script });

/** Returns the key's faults that the gateways of an environment receive. */
async function faultsFor(environment: Environment) {
  return (await keyLookups({ database, environment }).authenticateKey(key)).faults;
}

const lastScript = async () => faultScript.parse(JSON.parse((await call(getFaultsOperation)).json));

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

    await call(clearFaultsOperation);
    await call(clearFaultsOperation);
    expect(await lastScript()).toEqual(NO_FAULTS);
    expect(await faultsFor('sandbox')).toBeNull();
    const trail = 'select action, subject_id from audit_entries where company_id = $1 order by id';
    const actions = ['api_key.faults_set', 'api_key.faults_set', 'api_key.faults_cleared'];
    expect(await database.query(trail, [companyId])).toEqual(
      actions.map((action) => ({ action, subject_id: key.keyId })),
    );
  });

  test('that is stored in production is not sent to its gateways [SANDBOX-3]', async () => {
    await set(ALL);
    expect(await faultsFor('production')).toBeUndefined();
  });
});

describe('webhooks under a fault script', () => {
  // The copy of an earlier test would be due in a later one.
  beforeEach(() => database.query('delete from deliveries'));

  const subscribe = () => webhookRows(database).subscription({ companyId });

  /** Records an event and leases its deliveries, and returns the ids of the event and of the deliveries that are published now. */
  async function record(): Promise<{ eventId: string; published: readonly string[] }> {
    const jobId = newId('job');
    const now = new Date();
    const { eventId } = await database.transaction((tx) =>
      recordEvent(tx, {
        ...{ companyId, event: 'install.job_unassigned', occurredAt: now, now },
        ...{ resource: { type: 'install_job', id: jobId, version: 7 }, data: { jobId } },
      }),
    );
    const leased = await claimAll(database, LIMITS);
    const published = await webhookFaults(database)(leased);
    return { eventId, published: published.map(({ id }) => id) };
  }

  /** Ordered by due time. */
  const deliveries = () =>
    database.query<
      Record<'id' | 'subscription_id' | 'event_id', string> &
        Record<'due_in' | 'held', number> & { is_leased: boolean }
    >(
      `select id, subscription_id, event_id, lease_id is not null as is_leased,
         extract(epoch from next_attempt_at - now())::float8 as due_in,
         extract(epoch from next_attempt_at - created_at)::float8 as held
       from deliveries where company_id = $1 order by next_attempt_at, id`,
      [companyId],
    );

  const webhooks = (faults: { duplicate?: boolean; reorder?: boolean }) => set({ webhooks: faults });

  test('are delivered twice, a second apart, to every subscription [SANDBOX-2]', async () => {
    const subscriptions = [await subscribe(), await subscribe()].sort();
    await webhooks({ duplicate: true });
    const { published } = await record();
    const queued = await deliveries();
    const copies = queued.filter(({ is_leased }) => !is_leased);
    expect(copies.map(({ subscription_id }) => subscription_id).sort()).toEqual(subscriptions);
    for (const { due_in } of copies) expect(due_in).toBeLessThanOrEqual(1);
    const leased = queued.filter(({ is_leased }) => is_leased).map(({ id }) => id);
    expect(published.toSorted()).toEqual(leased.sort());
    // The copies are first deliveries as well, and a crash repeats the step.
    const release = 'update deliveries set lease_id = null, next_attempt_at = now() where company_id = $1';
    await database.query(release, [companyId]);
    const again = await webhookFaults(database)(await claimAll(database, LIMITS));
    expect(again).toHaveLength(4);
    expect(await deliveries()).toHaveLength(4);
  });

  test('of the same 4 seconds are due in the opposite order, within 8 seconds [SANDBOX-2]', async () => {
    await subscribe();
    await webhooks({ reorder: true });
    const events: string[] = [];
    for (let number = 0; number < 3; number += 1) {
      const { eventId } = await record();
      events.push(eventId);
      const release = 'update deliveries set lease_id = null, next_attempt_at = now() where event_id = $1';
      await database.query(release, [eventId]);
    }
    // All of them in one window, the next one.
    await database.query(
      `update deliveries set created_at = to_timestamp(4 * ceil(extract(epoch from now()) / 4) + array_position($1, event_id)),
         lease_id = null, next_attempt_at = now()
       where event_id = any($1::text[])`,
      [events],
    );
    const published = await webhookFaults(database)(await claimAll(database, LIMITS));
    expect(published).toEqual([]);
    const due = await deliveries();
    expect(due.map(({ event_id }) => event_id)).toEqual(events.toReversed());
    for (const { held } of due) expect(held).toBeLessThanOrEqual(8);
    // Once its time has come it is published.
    await database.query(
      `update deliveries set created_at = created_at - interval '16 s', next_attempt_at = now() where company_id = $1`,
      [companyId],
    );
    const late = await webhookFaults(database)(await claimAll(database, LIMITS));
    expect(late).toHaveLength(3);
  });

  test.each([
    { environment: 'sandbox', times: 2 },
    { environment: 'production', times: 1 },
  ] as const)(
    'are delivered $times times by the loops of job-state in $environment [SANDBOX-3]',
    async ({ environment, times }) => {
      await subscribe();
      await webhooks({ duplicate: true });
      const database = testDatabase.connect({ poolSize: 4 });
      const lifecycle = createLifecycle({ logger: silentLogger, graceMs: 10_000 });
      const publisher = createInMemoryPublisher();
      startWebhookLoops(
        testConfig(environment),
        { logger: silentLogger, metrics: new Registry(), lifecycle, waitFor: attemptOnce },
        { database, queue: database, canResultsArrive: () => true, publisher, clock: () => new Date() },
      );
      await webhookRows(database).event(companyId);
      await publisher.published.atLeast(1);
      expect(await deliveries()).toHaveLength(times);
      await lifecycle.shutDown();
    },
  );

  test.each(['revoked_at', 'expires_at'])('are as usual once the key is inactive: %s', async (column) => {
    await subscribe();
    await webhooks({ duplicate: true, reorder: true });
    await database.query(`update api_keys set ${column} = now() - interval '1 s' where id = $1`, [key.keyId]);
    expect((await record()).published).toHaveLength(1);
    expect(await deliveries()).toHaveLength(1);
  });

  test('of another company are as usual', async () => {
    await subscribe();
    await webhooks({ duplicate: true, reorder: true });
    companyId = await insertCompany(database, 'INSTALLER');
    await subscribe();
    expect((await record()).published).toHaveLength(1);
    expect(await deliveries()).toHaveLength(1);
  });
});
