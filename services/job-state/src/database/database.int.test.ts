import { describe, expect, test } from '@jest/globals';
import { holdTransaction } from '../testing/hold-transaction.js';
import { database, testDatabase } from '../testing/things-fixture.js';
import { Registry } from 'prom-client';
import { commitTopic } from './after-commit.js';
import { type Database, queryWithin, type Transaction, type TransactionLimits } from './database.js';
import { createPoolMetrics } from './pool-metrics.js';
import { LockTimeoutError } from './server-failures.js';

describe('a transaction', () => {
  test('tells the listeners of a topic its news after the commit, each once, and none after a rollback', async () => {
    const received: string[][] = [];
    const topic = commitTopic<string>();
    topic.listen(database, (news) => received.push([...news]));
    await database.transaction(async (tx) => {
      await tx.query('select 1');
      topic.tell(tx, 'a');
      topic.tell(tx, 'b', 'a');
      expect(received).toEqual([]);
    });
    expect(received).toEqual([['a', 'b']]);
    const undone = database.transaction((tx) => {
      topic.tell(tx, 'c');
      return Promise.reject(new Error('undone'));
    });
    await expect(undone).rejects.toThrow('undone');
    expect(received).toEqual([['a', 'b']]);
  });

  test('commits nothing if a statement that was sent without waiting fails, and fails with its error', async () => {
    const notReached: string[] = [];
    const failing = database.transaction(async (tx) => {
      void tx.query(`insert into things values (7, 'seven')`);
      void tx.query(`insert into things values (1, 'taken')`);
      void tx.query(`insert into things values (8, 'eight')`);
      tx.afterCommit(() => notReached.push('hook'));
      await expect(tx.query('select 1')).rejects.toMatchObject({ constraint: 'things_pkey' });
    });
    await expect(failing).rejects.toMatchObject({ constraint: 'things_pkey' });
    expect(notReached).toEqual([]);
    expect(await database.query('select id from things')).toEqual([{ id: 1 }]);
  });

  test('sends statements without waiting for one another, and runs hooks after their rows were seen', async () => {
    const seen: unknown[] = [];
    const sent: string[] = [];
    await database.transaction((tx) => {
      for (const value of ['first', 'second']) {
        sent.push(value);
        tx.query('select $1::text as value', [value]).then(
          ([row]) => seen.push(row?.['value']),
          () => undefined,
        );
      }
      tx.afterCommit(() => seen.push('committed'));
    });
    expect(sent).toEqual(['first', 'second']);
    expect(seen).toEqual(['first', 'second', 'committed']);
  });

  test('runs the calls of one turn in one execution, before the next statement, and those that come last before the commit', async () => {
    const listed = (call: number) => ({
      name: `listed-${call}`,
      shared: 'together' as const,
      text: `with number as (select nextval('executions') as execution)
        select call, name, ${call} * 10 + execution as execution from unnest($1::text[]) with ordinality as item (name, call), number`,
    });
    const [one, two] = [listed(1), listed(2)];
    await database.query('create sequence executions');
    const rows = await database.transaction(async (tx) => {
      void tx.query({
        ...{ name: 'last', shared: 'last' },
        text: `select setval('executions', 100 * nextval('executions'))`,
      });
      const first = await Promise.all(['a', 'b'].map((name) => tx.query(one, [name])));
      const then = tx.query(two, ['c']);
      return [...first, await tx.query(`select nextval('executions') as execution`), await then];
    });
    expect(rows).toEqual([
      [{ call: '1', name: 'a', execution: '11' }],
      [{ call: '2', name: 'b', execution: '11' }],
      [{ execution: '3' }],
      [{ call: '1', name: 'c', execution: '22' }],
    ]);
    expect(await database.query(`select last_value from executions`)).toEqual([{ last_value: '400' }]);
  });

  test('plans a prepared statement once for all values, alone or shared, if its limits say so', async () => {
    const database = testDatabase.connect();
    // Postgres expects ten rows of an array that it does not know, so it would never keep this plan.
    const statement = {
      name: 'planned',
      shared: 'together' as const,
      text: 'select call from unnest($1::integer[]) with ordinality as item (id, call) join things using (id)',
    };
    const plans = () =>
      database.query(
        `select generic_plans as once, custom_plans as anew from pg_prepared_statements where name = 'planned'`,
      );
    const run = (limits: TransactionLimits) => database.transaction((tx) => tx.query(statement, [1]), limits);
    for (let call = 1; call <= 7; call += 1) await run({});
    expect(await plans()).toEqual([{ once: '0', anew: '7' }]);
    await run({ plansOnce: true });
    await run({ plansOnce: true, companyId: 'cmp_1', sharedBy: ['job_1'] });
    expect(await plans()).toEqual([{ once: '2', anew: '7' }]);
    await run({});
    expect(await plans()).toEqual([{ once: '2', anew: '8' }]);
  });

  test('fails calls that were not sent when its work throws, and later ones', async () => {
    const statement = {
      name: 'number',
      shared: 'together' as const,
      text: 'select call from unnest($1::integer[]) with ordinality as item (number, call)',
    };
    const late: Promise<unknown>[] = [];
    const failing = database.transaction((tx) => {
      late.push(tx.query(statement, [1]));
      setImmediate(() => late.push(tx.query(statement, [2])));
      throw new Error('undone');
    });
    await expect(failing).rejects.toThrow('undone');
    await new Promise(setImmediate);
    expect((await Promise.allSettled(late)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test.each([
    ['commit', 'fulfilled'],
    ['rollback', 'rejected'],
  ])('refuses a statement that follows its %s', async (end, outcome) => {
    const once = testDatabase.connect();
    const statement = {
      name: 'insert-things',
      shared: 'together' as const,
      text: 'insert into things select unnest($1::integer[]) returning 1 as call',
    };
    const late: Promise<unknown>[] = [];
    let ended: Transaction | undefined;
    async function insert(id: number): Promise<unknown> {
      return ended?.query(`insert into things values ($1)`, [id]);
    }
    const transaction = once.transaction(async (tx) => {
      ended = tx;
      await tx.query('select 1');
      // By then the commit or the rollback is sent.
      setImmediate(() => late.push(insert(20), tx.query(statement, [21])));
      if (end === 'rollback') throw new Error('undone');
    });
    expect(await Promise.allSettled([transaction])).toMatchObject([{ status: outcome }]);
    late.push(insert(22));
    const refused = { status: 'rejected' };
    expect(await Promise.allSettled(late)).toMatchObject([refused, refused, refused]);
    expect(await once.query('select id from things')).toEqual([{ id: 1 }]);
  });

  test('begins without the limit of an earlier caller, which could cancel its begin alone', async () => {
    const once = testDatabase.connect();
    await once.query('select 1', [], { timeoutMs: 60_000 });
    const setting = `select current_setting('statement_timeout') as statement_timeout`;
    const both = (tx: Transaction) => Promise.all([tx.query('rollback'), tx.query(setting)]);
    const [, ofSession] = await once.transaction(both);
    expect(ofSession).toEqual([{ statement_timeout: '0' }]);
  });

  test('whose begin fails sends no other statement, and its connection is not used again', async () => {
    const once = testDatabase.connect();
    const backend = 'select pg_backend_pid() as pid';
    const former = await once.query(backend);
    const failing = once.transaction(
      async (tx) => {
        await Promise.allSettled([tx.query('select 1')]);
        await Promise.allSettled([tx.query('rollback')]);
        void tx.query(`insert into things values (9, 'nine')`);
      },
      { lockTimeoutMs: Number.NaN },
    );
    await expect(failing).rejects.toMatchObject({ reason: 'unavailable' });
    expect(await once.query(backend)).not.toEqual(former);
    expect(await once.query('select id from things')).toEqual([{ id: 1 }]);
  });

  test('that waits too long for a lock fails, and its limits end with it', async () => {
    const lock = (tx: Transaction) => tx.query('select 1 from things where id = 1 for update');
    const holder = await holdTransaction(database, lock);
    await expect(database.transaction(lock, { lockTimeoutMs: 50 })).rejects.toBeInstanceOf(LockTimeoutError);
    await holder.release();
    const ten = Array.from({ length: 10 });
    const settings = await Promise.all(ten.map(() => database.query('show lock_timeout')));
    expect(settings.flat()).toEqual(ten.map(() => ({ lock_timeout: '0' })));
  });

  test("that exceeds its caller's deadline is unavailable", async () => {
    const late = database.transaction((tx) => tx.query('select pg_sleep(20)'), { timeoutMs: 50 });
    const attributes = { retryAfterSeconds: 1 };
    await expect(late).rejects.toMatchObject({ reason: 'unavailable', attributes });
  });
});

describe('one company', () => {
  const waitForLock = { name: 'wait-for-lock', text: 'select pg_advisory_xact_lock(8)' };
  const kinds: [string, (shared: Database, companyId: string) => Promise<unknown>][] = [
    ['transactions', (shared, companyId) => shared.transaction((tx) => tx.query(waitForLock), { companyId })],
    ['statements', (shared, companyId) => shared.query(waitForLock, [], { companyId })],
  ];

  test.each(kinds)(
    'has %s on a share of the connections: three that hold theirs leave one to a fourth [LIMIT-8]',
    async (_, run) => {
      const shared = testDatabase.connect({ poolSize: 10 });
      const holder = await holdTransaction(database, (tx) => tx.query(waitForLock));
      const hostile = ['cmp_a', 'cmp_b', 'cmp_c'].flatMap((companyId) =>
        Array.from({ length: 10 }, () => run(shared, companyId)),
      );
      for (let n = 0; n < 5; n += 1) {
        const limits = { companyId: 'cmp_d', timeoutMs: 60_000 };
        await shared.transaction((tx) => tx.query('select 1'), limits);
        expect(await shared.query('select 1 as one', [], limits)).toEqual([{ one: 1 }]);
      }
      await Promise.all([holder.release(), ...hostile]);
    },
  );
});

describe('a caller after its deadline', () => {
  test('starts no statement and commits nothing', async () => {
    const outlastCaller = () => database.query('select pg_sleep(0.3)');
    const onTime = { timeoutMs: 250 };
    const beforeCommit = database.transaction(async (tx) => {
      await tx.query(`insert into things values (2, 'two')`);
      await outlastCaller();
    }, onTime);
    await expect(beforeCommit).rejects.toMatchObject({ reason: 'unavailable' });
    let isBegun = false;
    const beforeStatement = database.transaction(async (tx) => {
      await outlastCaller();
      await tx.query('select 1');
      isBegun = true;
    }, onTime);
    await expect(beforeStatement).rejects.toMatchObject({ reason: 'unavailable' });
    expect(isBegun).toBe(false);
    expect(await database.query('select id from things')).toEqual([{ id: 1 }]);
  });

  test('gets no connection while all are in use, and the load does not make the database unready', async () => {
    const metrics = new Registry();
    const database = testDatabase.connect({ measured: { by: createPoolMetrics(metrics), pool: 'main' } });
    const holder = await holdTransaction(database, (tx) => tx.query('select 1'));
    const late = database.query('create table late ()', [], { timeoutMs: 1 });
    const shows = async (name: string, value: number) =>
      expect(await metrics.metrics()).toContain(`partner_postgres_${name}{pool="main"} ${value}\n`);
    await shows('pool_max_connections', 1);
    await shows('pool_connections', 1);
    await shows('pool_idle_connections', 0);
    await shows('pool_waiting', 1);
    await expect(late).rejects.toMatchObject({ reason: 'unavailable' });
    expect(database.isReady()).toBe(true);
    await holder.release();
    await shows('pool_idle_connections', 1);
    // The one that held it, and the one that timed out.
    await shows('connection_wait_seconds_count', 2);
    expect(await database.query(`select to_regclass('late') as late`)).toEqual([{ late: null }]);
  });

  test('does not shorten the time of later callers', async () => {
    const once = testDatabase.connect();
    const hasty = queryWithin(once, { timeoutMs: 60 });
    await expect(hasty.query('select pg_sleep(20)')).rejects.toMatchObject({ reason: 'unavailable' });
    await expect(hasty.query('select 1')).rejects.toMatchObject({ reason: 'unavailable' });
    const setting = `select current_setting('statement_timeout') as statement_timeout`;
    expect(await once.query(setting)).toEqual([{ statement_timeout: '10s' }]);
    expect(await once.transaction((tx) => tx.query(setting))).toEqual([{ statement_timeout: '10s' }]);
    // Below the usual 10 s, however much time the caller has lost before the statement.
    expect(await once.query(setting, [], { timeoutMs: 9_999 })).toEqual([
      { statement_timeout: expect.stringMatching(/^(\d{3,4}ms|\ds)$/) },
    ]);
    expect(database.isReady()).toBe(true);
  });
});
