import { describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import { silentLogger } from '@partner/kernel/logger';
import { eventually } from '@partner/test-kit/eventually';
import { createInMemoryPublisher } from '@partner/kernel/testing/in-memory-publisher';
import { startTcpProxy } from '@partner/test-kit/tcp-proxy';
import { Registry } from 'prom-client';
import { book, deps, fixture, newCustomer } from '../people/testing/people-fixture.js';
import type { Database } from '../database/database.js';
import { leaseEmails } from '../notifications/lease-emails.js';
import { createPlatformMessageHandler } from '../platform/handle-platform-message.js';
import { startWaitingMessages } from '../platform/start-waiting-messages.js';
import { companyChanged } from '../platform/testing/company-messages-fixture.js';
import { partitionRange } from '../retention/partitioned-table.js';
import { createPartitions, listPartitions } from '../retention/partitions.js';
import { STANDARD_RETENTION } from '@partner/proto-contracts/api/retention';
import { retainedTables } from '../retention/retained-tables.js';
import { claimAll } from '../testing/claim-all.js';
import { createGate } from '../testing/create-gate.js';
import { insertCompany, jobCreatedMessage, TEST_NOW } from '../testing/test-jobs.js';
import { attemptedMessage } from '../testing/webhook-fixture.js';
import { oldestDueSeconds } from '../webhooks/schedule/oldest-due.js';
import { createDeliveryResultsHandler } from '../webhooks/attempts/delivery-results.js';
import { abandonMove, moveCompanies } from './move-companies.js';
import {
  companiesIn,
  connectionsHaveEnded,
  filled,
  group,
  rowsOfGroup,
  target,
  wayBack,
  wayThere,
} from './testing/move-fixture.js';

const moves = () => fixture.database.query('select company_id as id, state from company_moves order by 1');
const prepared = () =>
  target.database.query('select from pg_prepared_xacts where database = current_database()');
/** Calls a function at each log line with a message. */
const loggerAt = (message: string, then: () => void) => ({
  ...silentLogger,
  info(_: object, text?: string) {
    if (text === message) then();
  },
});
const LIMITS = { batchSize: 100, leaseSeconds: 30, inFlight: 1_000, subscriptionCap: 20 };

describe('a move', () => {
  test('brings every row of every table to the target, and back [MOVE-1]', async () => {
    const before = await rowsOfGroup(fixture.database);
    expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);
    const outbox = await fixture.database.query('select from outbox');
    const other = await insertCompany(fixture.database, 'SALES');

    await moveCompanies(wayThere(), [...group].reverse());
    expect(await rowsOfGroup(target.database)).toEqual(before);
    expect(new Set(Object.values(await rowsOfGroup(fixture.database)).flat())).toEqual(new Set());
    expect(await fixture.database.query('select from companies where id = $1', [other])).toHaveLength(1);
    expect(await fixture.database.query('select from outbox')).toHaveLength(outbox.length);
    expect(
      await target.database.query(
        `select company_id, display_name from audit_entries where action = 'company.moved' order by 1`,
      ),
    ).toEqual(group.map((id) => ({ company_id: id, display_name: 'operator: olga' })));

    await moveCompanies(wayBack(), group);
    expect(await rowsOfGroup(fixture.database)).toEqual(before);
    expect(await moves()).toEqual([]);
  });

  test('creates the partitions of the source in the target, so that retention drops what it brings [MOVE-1]', async () => {
    const table = retainedTables(STANDARD_RETENTION).find(({ name }) => name === 'feed_entries');
    if (table === undefined) throw new Error('the feed is partitioned');
    await createPartitions(fixture.database, table, [partitionRange(table, TEST_NOW)], TEST_NOW);
    await moveCompanies(wayThere(), group);
    const partitions = await listPartitions(target.database, table);
    expect(partitions.map(({ name }) => name)).toEqual(['feed_entries_p20260904']);
    const rows = await target.database.query('select from feed_entries_p20260904');
    expect(rows.length).toBeGreaterThan(0);
  });

  test('is refused while a company outside shares data with one inside, or is in the target [MOVE-2]', async () => {
    await expect(moveCompanies(wayThere(), [fixture.seller])).rejects.toThrow(
      `Name ${group.filter((id) => id !== fixture.seller).join(' ')} too`,
    );
    const other = await insertCompany(target.database, 'SALES');
    await expect(moveCompanies(wayThere(), [other])).rejects.toThrow(`the source has no company ${other}`);
    await fixture.database.query(
      `insert into companies select * from jsonb_populate_record(null::companies, $1)`,
      [
        JSON.stringify({
          id: other,
          name: 'x',
          class: 'SALES',
          version: 0,
          delivery_weight: 1,
          created_at: TEST_NOW,
        }),
      ],
    );
    await expect(moveCompanies(wayThere(), [other])).rejects.toThrow(`the target already has ${other}`);
    await expect(moveCompanies({ ...wayThere(), targetUrl: fixture.url }, group)).rejects.toThrow(
      'source and target are one database',
    );
    expect(await moves()).toEqual([]);
  });

  test('is refused while an erasure is in progress, and opens its companies again [MOVE-2, MOVE-4]', async () => {
    const id = newId('ers');
    const begin = (on: { database: typeof fixture.database }) =>
      on.database.query(
        `insert into erasures (id, subject, operator, requested_at) values ($1, '{}', 'olga', now())`,
        [id],
      );
    await begin(fixture);
    await expect(moveCompanies(wayThere(), group)).rejects.toThrow(`${id} is in progress`);
    await fixture.database.query('delete from erasures where id = $1', [id]);
    // It begins after the check.
    let begun: Promise<unknown> = Promise.resolve();
    const logger = loggerAt('move.companies_closed', () => {
      begun = begin(fixture);
    });
    await expect(moveCompanies({ ...wayThere(), logger, drainMs: 300 }, group)).rejects.toThrow(
      'is in progress',
    );
    await begun;
    expect(await moves()).toEqual([]);
    expect(await companiesIn(fixture.database)).toEqual(group);
    await fixture.database.query('delete from erasures where id = $1', [id]);
  });
});

describe('after a lost connection', () => {
  const CUTS = [
    ['targetUrl', 'prepare transaction'],
    ['sourceUrl', 'commit'],
    ['targetUrl', 'commit prepared'],
    ['sourceUrl', `set state = 'left'`],
  ] as const;

  /** Moves the group through proxies, of which one cuts the connection that sends a text. */
  async function moveCut([side, text]: (typeof CUTS)[number], isCutOff: boolean): Promise<unknown> {
    const way = wayThere();
    const proxy = await startTcpProxy(way[side]);
    const other = side === 'sourceUrl' ? 'targetUrl' : 'sourceUrl';
    const otherProxy = await startTcpProxy(way[other]);
    proxy.cutAt(text);
    const logger = {
      ...silentLogger,
      info(fields: object) {
        // The last table: from now on no new connection reaches a server.
        if (!isCutOff || !('table' in fields) || fields.table !== 'audit_entries') return;
        for (const each of [proxy, otherProxy]) each.leadTo();
      },
    };
    try {
      const urls = { [side]: proxy.url, [other]: otherProxy.url };
      return await moveCompanies({ ...way, ...urls, logger }, group).catch((error: unknown) => error);
    } finally {
      await Promise.all([proxy.close(), otherProxy.close()]);
      await connectionsHaveEnded();
    }
  }

  test.each(CUTS)(
    'of %s at "%s" a run is repeated, and no row is lost or doubled [MOVE-3]',
    async (...cut) => {
      const before = await rowsOfGroup(fixture.database);
      expect(await moveCut(cut, true)).toBeInstanceOf(Error);
      const homes = [await companiesIn(fixture.database), await companiesIn(target.database)];
      expect(homes.filter(({ length }) => length > 0).length).toBeLessThanOrEqual(1);
      await expect(
        moveCompanies(wayThere(), [await insertCompany(fixture.database, 'SALES')]),
      ).rejects.toThrow('was interrupted');
      expect(await moveCompanies(wayThere(), group)).toBe('moved');
      expect(await rowsOfGroup(target.database)).toEqual(before);
      expect(await companiesIn(fixture.database)).toEqual([]);
      expect(await moves()).toEqual(group.map((id) => ({ id, state: 'left' })));
      expect(await prepared()).toEqual([]);
    },
  );

  test('of the source at its commit, the same run finishes [MOVE-3]', async () => {
    expect(await moveCut(CUTS[1], false)).toBe('moved');
    expect(await companiesIn(target.database)).toEqual(group);
  });

  test('before the commit, a run can be abandoned: the source serves the companies again [MOVE-3]', async () => {
    const before = await rowsOfGroup(fixture.database);
    await moveCut(CUTS[0], true);
    expect(await abandonMove(wayThere(), group)).toBe('abandoned');
    expect(await moves()).toEqual([]);
    expect(await prepared()).toEqual([]);
    expect(await rowsOfGroup(fixture.database)).toEqual(before);
  });
});

describe('the service during a move', () => {
  test('begins no attempt and no email, and the result of one in flight is kept [MOVE-5]', async () => {
    const { database } = fixture;
    const [claimed, ...others] = await claimAll(database, LIMITS);
    invariant(claimed, 'a delivery is due');
    expect(others).toEqual([]);
    const waiting = newId('dlv');
    const closed = createGate();
    const moving = moveCompanies(
      { ...wayThere(), logger: loggerAt('move.companies_closed', closed.open) },
      group,
    );
    await closed.opened;
    await database.query(
      `insert into deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id)
       select $1, subscription_id, company_id, event_id, event, resource_type, resource_id from deliveries where id = $2`,
      [waiting, claimed.id],
    );
    expect(await claimAll(database, LIMITS)).toEqual([]);
    expect((await oldestDueSeconds(database, LIMITS)).get('healthy')).toBe(0);
    expect(await leaseEmails({ database, clock: () => new Date() }, 10)).toEqual([]);
    const handle = createDeliveryResultsHandler({
      ...{ database, logger: silentLogger, metrics: new Registry(), retryBaseMs: 1_000, random: () => 0.5 },
    });
    await handle(attemptedMessage({ deliveryId: claimed.id, leaseId: claimed.leaseId }));
    await moving;
    const deliveries = await target.database.query(
      'select id, state from all_deliveries where id = any($1) order by id',
      [[claimed.id, waiting]],
    );
    expect(deliveries).toEqual([
      { id: claimed.id, state: 'delivered' },
      { id: waiting, state: 'pending' },
    ]);
    expect((await claimAll(target.database, LIMITS)).map(({ id }) => id)).toEqual([waiting]);
    await target.database.query('update deliveries set lease_id = null');
  });

  test('loses no change of a transaction that is open [MOVE-5]', async () => {
    const [written, commit] = [createGate(), createGate()];
    const writing = fixture.database.transaction(async (tx) => {
      await tx.query(`update memberships set display_name = 'Renamed' where id = $1`, [filled.membershipId]);
      await tx.query(
        `insert into audit_entries (id, company_id, action, subject_type, subject_id, details)
        values ($1, $2, 'owner.updated', 'owner', $3, '{}')`,
        [newId('aud'), fixture.seller, filled.membershipId],
      );
      written.open();
      await commit.opened;
    });
    await written.opened;
    const logger = { ...silentLogger, warn: commit.open };
    await moveCompanies({ ...wayThere(), logger }, group);
    await writing;
    expect(
      await target.database.query(
        `select display_name, (select count(*)::int from audit_entries where subject_id = m.id and action = 'owner.updated') as entries
         from memberships m where id = $1`,
        [filled.membershipId],
      ),
    ).toEqual([{ display_name: 'Renamed', entries: 1 }]);
  });

  test('refuses a write that meets the locks, and leaves nothing of it [MOVE-5]', async () => {
    const customer = await newCustomer();
    const notes = `late ${customer.word}`;
    const locked = createGate();
    const moving = moveCompanies({ ...wayThere(), logger: loggerAt('move.rows_copied', locked.open) }, group);
    await locked.opened;
    await expect(book(customer, notes)).rejects.toThrow();
    await moving;
    for (const { database } of [fixture, target]) {
      expect(await database.query('select from appointments where notes = $1', [notes])).toEqual([]);
    }
    expect(
      await fixture.database.query('select from idempotency_keys where company_id = $1', [fixture.seller]),
    ).toEqual([]);
  });
});

test('messages of the platform that reach the source after a move wait there, and a repetition forwards them [MOVE-6]', async () => {
  await moveCompanies(wayThere(), group);
  const handle = createPlatformMessageHandler({ ...deps, metrics: new Registry() });
  const jobId = newId('job');
  const changed = companyChanged(fixture.seller, { version: 7, name: 'Renamed' });
  const foreign = jobCreatedMessage({ jobId: newId('job'), sellingCompanyId: newId('cmp') });
  for (const message of [changed, jobCreatedMessage({ jobId, sellingCompanyId: fixture.seller }), foreign]) {
    expect(await handle(message)).toEqual({ kind: 'done' });
  }
  expect(await companiesIn(fixture.database)).toEqual([]);
  expect(await moveCompanies(wayThere(), group)).toBe('moved');
  const waiting = (database: Database) =>
    database.query(
      'select message_id as id from inbox where prerequisite_id is not null and message_id = any($1)',
      [[changed.messageId, foreign.messageId]],
    );
  expect(await waiting(fixture.database)).toEqual([{ id: foreign.messageId }]);
  expect(await waiting(target.database)).toEqual([{ id: changed.messageId }]);
  await startedOnce(target.database);
  const found = await target.database.query(
    `select c.name, j.id from companies c join jobs j on j.selling_company_id = c.id and j.id = $2 where c.id = $1`,
    [fixture.seller, jobId],
  );
  expect(found).toEqual([{ name: 'Renamed', id: jobId }]);
});

/** Takes the steps of the loop that records waiting messages once their prerequisite is there. */
async function startedOnce(database: Database): Promise<void> {
  const loop = startWaitingMessages({
    ...{ database, publisher: createInMemoryPublisher(), deadLetterQueue: 'dead', clock: () => new Date() },
    ...{ logger: silentLogger, metrics: new Registry(), intervalMs: 10 },
  });
  await eventually('the effect of the messages', async () => {
    const rows = await database.query(`select from inbox where prerequisite_id = any($1)`, [group]);
    return rows.length === 0;
  });
  await loop.stop();
}
