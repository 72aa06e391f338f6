import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { startTcpProxy } from '@partner/test-kit/tcp-proxy';
import { createGate } from '../testing/create-gate.js';
import { holdTransaction } from '../testing/hold-transaction.js';
import { createDatabase, type Transaction } from './database.js';
import { database, testDatabase } from '../testing/file-database.js';

const COMPANY = { companyId: 'cmp_1' };

beforeAll(async () => {
  await database.query('create table things (id integer primary key)');
});

afterEach(() => database.query('truncate things'));
const transactionId = async (tx: Transaction) => {
  const [row] = await tx.query<{ id: string }>('select pg_current_xact_id()::text as id');
  return row?.id;
};

/** Begins writes while a shared transaction of the company is open, which then ends; returns their outcomes. */
async function behindHeld<T>(begin: () => readonly Promise<T>[], within = database) {
  const gate = createGate();
  const held = within.transaction(() => gate.opened, { ...COMPANY, sharedBy: ['held'] });
  const outcomes = Promise.allSettled(begin());
  gate.open();
  await held;
  return outcomes;
}

test('writes of one company that arrive while another runs share the next transaction, unless they have a name in common', async () => {
  const gate = createGate();
  const write = (...sharedBy: string[]) => database.transaction(transactionId, { ...COMPANY, sharedBy });
  const held = database.transaction(
    async (tx) => {
      await gate.opened;
      return transactionId(tx);
    },
    { ...COMPANY, sharedBy: ['held'] },
  );
  const sharing = [write('job 1', 'key 1'), write('job 2', 'key 2')];
  const alone = [await write('job 1', 'key 3'), await write('job 3', 'key 2')];
  const other = await database.transaction(transactionId, { companyId: 'cmp_2', sharedBy: ['job 3'] });
  gate.open();
  const [first, second] = await Promise.all(sharing);
  expect(second).toBe(first);
  expect(new Set([await held, other, first, ...alone]).size).toBe(5);
});

test('a write that fails has no effect, and the others of its transaction take effect once', async () => {
  const insert = (id: number) =>
    database.transaction(
      async (tx) => {
        await tx.query('insert into things values ($1)', [id]);
        if (id === 2) throw new Error('refused');
        return id;
      },
      { ...COMPANY, sharedBy: [`${id}`] },
    );
  expect(await behindHeld(() => [1, 2, 3].map(insert))).toMatchObject([
    { value: 1 },
    { reason: { message: 'refused' } },
    { value: 3 },
  ]);
  expect(await database.query('select id from things order by id')).toEqual([{ id: 1 }, { id: 3 }]);
});

test.each(['25006', '40P01', '53100', '57014', 'a lost connection'])(
  'writes of a transaction that fails with %s take effect once, each alone',
  async (failure) => {
    const raise = `do $$ begin raise sqlstate '${failure}'; end $$`;
    const end = 'select pg_terminate_backend(pg_backend_pid())';
    const fail = failure === 'a lost connection' ? end : raise;
    const runs = new Map<number, number>();
    const insert = (id: number) =>
      database.transaction(
        async (tx) => {
          const run = (runs.get(id) ?? 0) + 1;
          runs.set(id, run);
          await tx.query('insert into things values ($1)', [id]);
          if (id === 2 && run === 1) await tx.query(fail);
          return transactionId(tx);
        },
        { ...COMPANY, sharedBy: [`${id}`] },
      );
    const transactions = (await behindHeld(() => [1, 2, 3].map(insert))).map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value : outcome.status,
    );
    expect(new Set(transactions).size).toBe(3);
    expect([...runs.values()]).toEqual([2, 2, 2]);
    const ids = await database.query('select id from things order by id');
    expect(ids).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  },
);

test('writes whose commit has no response are unavailable and do not run again', async () => {
  const proxy = await startTcpProxy(testDatabase.url);
  const database = createDatabase({ url: proxy.url, poolSize: 2, logger: silentLogger });
  let runs = 0;
  const write = (name: string) =>
    database.transaction(
      (tx) => {
        runs += 1;
        void tx.query(`select 'right before the commit'`);
      },
      { ...COMPANY, sharedBy: [name] },
    );
  proxy.cutAt('right before the commit');
  const refused = { reason: { reason: 'unavailable', message: expect.stringContaining('took effect') } };
  const outcomes = await behindHeld(() => ['a', 'b'].map(write), database);
  expect(outcomes).toMatchObject([refused, refused]);
  expect(runs).toBe(2);
  await database.end();
  await proxy.close();
});

const insertThing = (id: number, timeoutMs?: number) =>
  database.transaction((tx) => tx.query('insert into things values ($1)', [id]), {
    ...COMPANY,
    sharedBy: [`${id}`],
    timeoutMs,
  });

test("a write whose caller's deadline passes while it waits is unavailable and has no effect; the others take effect", async () => {
  expect(await behindHeld(() => [insertThing(1, 0), insertThing(2)])).toMatchObject([
    { reason: { reason: 'unavailable' } },
    { status: 'fulfilled' },
  ]);
  expect(await database.query('select id from things')).toEqual([{ id: 2 }]);
});

test('at most a quarter of the writes that may wait are of one company [LIMIT-8]', async () => {
  const outcomes = await behindHeld(() => Array.from({ length: 200 }, (_, id) => insertThing(id)));
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused[0]).toMatchObject({
    reason: { reason: 'unavailable', message: expect.stringContaining('too many writes of this company') },
  });
  expect(await database.query('select id from things')).toHaveLength(200 - refused.length);
});

test('a shared transaction waits 0.5 s for a lock, then each write alone for as long as its own limits say', async () => {
  await database.query('insert into things values (1)');
  const lockFirst = (tx: Transaction) => tx.query('select from things where id = 1 for update');
  const holder = await holdTransaction(database, lockFirst);
  const limits: unknown[] = [];
  const lock = (id: number) =>
    database.transaction(
      async (tx) => {
        if (id === 1) limits.push(...(await tx.query('show lock_timeout')));
        return tx.query('select from things where id = $1 for update', [id]);
      },
      { ...COMPANY, sharedBy: [`${id}`] },
    );
  const writes: Promise<unknown[]>[] = [];
  const outcomes = behindHeld(() => {
    writes.push(lock(1), lock(2));
    return writes;
  });
  expect(await writes[1]).toEqual([]);
  expect(await lock(3)).toEqual([]);
  await holder.release();
  expect(await outcomes).toMatchObject([{ value: [{}] }, { value: [] }]);
  expect(limits).toEqual([{ lock_timeout: '500ms' }, { lock_timeout: '9800ms' }]);
});
