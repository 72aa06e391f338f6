import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { newId } from '@partner/kernel/process/ids';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { eventually } from '@partner/test-kit/eventually';
import { Registry } from 'prom-client';
import type { Database } from '../database/database.js';
import { startJournalBackfills, stepJournalBackfills } from '../journal/backfills.js';
import { beforeStatement } from '../testing/before-statement.js';
import { createGate } from '../testing/create-gate.js';
import { countLockWaits } from '../testing/lock-waits.js';
import { connectOperators } from '../testing/public-clients.js';
import { TEST_NOW } from '../testing/test-jobs.js';
import { createPlatformMessageHandler } from './handle-platform-message.js';
import { at, sent, stamp } from './testing/messages.js';
import { fixture } from '../testing/file-webhooks.js';

let database: Database;
let accountant: string;
/** The selling company of a test. */
let companyId: string;

beforeAll(async () => {
  ({ database } = fixture);
});

beforeEach(async () => {
  accountant = await fixture.company('ACCOUNTING');
  companyId = newId('cmp');
});

const depsOf = (given: Pick<Database, 'query' | 'transaction'>) => ({
  ...{ database: given, clock: () => TEST_NOW, logger: silentLogger, metrics: new Registry() },
});
const handlerOf = (given: Parameters<typeof depsOf>[0]) => createPlatformMessageHandler(depsOf(given));

/** A version of the company that is linked to the accountant, or is not, from an instant on. */
const companyChanged = (version: number, minutes: number, isLinked: boolean) =>
  sent.companyChanged({
    ...{ companyId, version, occurredAt: stamp(minutes) },
    accountingCompanyIds: isLinked ? [accountant] : [],
  });

const entryRecorded = (entryId: string, minutes: number) =>
  sent.journalEntryRecorded({ entryId, companyId, occurredAt: stamp(minutes) });

async function record(...messages: readonly IncomingMessage[]): Promise<void> {
  for (const message of messages) expect(await handlerOf(database)(message)).toEqual({ kind: 'done' });
}

const recipientsOf = async (entryId: string) => {
  const recipients = 'select company_id as id from events where resource_id = $1';
  return (await database.query<{ id: string }>(recipients, [entryId])).map(({ id }) => id);
};

describe('a journal entry is for the accounting companies that are linked at its instant [PLATFORM-18]', () => {
  /** Runs the held message up to a statement, then the other one until it finishes or waits for a lock, then both to the end. */
  async function interleave(
    held: IncomingMessage,
    other: IncomingMessage,
    statement: number,
  ): Promise<{ readonly wasHeld: boolean }> {
    const [reached, released] = [createGate(), createGate()];
    let statements = 0;
    const first = handlerOf(
      beforeStatement(database, async () => {
        statements += 1;
        if (statements !== statement) return;
        reached.open();
        await released.opened;
      }),
    )(held);
    const wasHeld = await Promise.race([reached.opened.then(() => true), first.then(() => false)]);
    let isDone = false;
    const second = handlerOf(database)(other).finally(() => (isDone = true));
    await eventually(
      'the end of the other message, or a lock',
      async () => isDone || (await countLockWaits(database)) > 0,
      { everyMs: 2 },
    );
    released.open();
    expect(await Promise.all([first, second])).toEqual([{ kind: 'done' }, { kind: 'done' }]);
    return { wasHeld };
  }

  test.each([
    ['before a link', true, -11, false],
    ['at the instant of a link', true, -10, true],
    ['after a link', true, -9, true],
    ['before the end of a link', false, -11, true],
    ['at the instant of the end of a link', false, -10, false],
    ['after the end of a link', false, -9, false],
  ] as const)('%s, wherever either transaction waits', async (_when, isLinked, minutes, isSent) => {
    for (const isEntryHeld of [true, false]) {
      for (let statement = 1; ; statement += 1) {
        companyId = newId('cmp');
        const entryId = newId('jrn');
        await record(companyChanged(1, -60, !isLinked));
        const [entry, change] = [entryRecorded(entryId, minutes), companyChanged(2, -10, isLinked)];
        const { wasHeld } = await (isEntryHeld
          ? interleave(entry, change, statement)
          : interleave(change, entry, statement));
        expect([statement, await recipientsOf(entryId)]).toEqual([statement, isSent ? [accountant] : []]);
        if (!wasHeld) break;
        expect(statement).toBeLessThan(20);
      }
    }
  });

  test('also if an operator links the company: a newer message of the platform overrides that', async () => {
    const [before, after] = [newId('jrn'), newId('jrn')];
    await record(companyChanged(1, -60, true));
    await connectOperators({ database }).updateCompany({ companyId, accountingCompanyIds: [] });
    await record(entryRecorded(before, -1), entryRecorded(after, 1));
    expect(await Promise.all([before, after].map(recipientsOf))).toEqual([[accountant], []]);
    await record(companyChanged(2, -1, true));
    expect(await Promise.all([before, after].map(recipientsOf))).toEqual([[accountant], [accountant]]);
  });
});

describe('a late change of links for more entries than one step announces [PLATFORM-21]', () => {
  const ENTRIES = 1_001;
  /** Entries that the message announces itself. */
  const FIRST = 500;

  beforeEach(async () => {
    await record(companyChanged(1, -60, false));
    await database.query(
      `insert into journal_entries (id, company_id, occurred_at, event, data, recorded_at)
       select id, $1, $2, 'journal.deposit_recorded', jsonb_build_object('entryId', id, 'companyId', $1::text, 'projectId', null,
           'recordedAt', '2026-10-01T11:50:00.000Z', 'depositId', 'dep_1', 'amount', '{"amountMinor":1,"currency":"USD"}'::jsonb), $2
       from (select replace($1, 'cmp', 'jrn') || n as id from generate_series(1, $3) n) entries`,
      [companyId, at(-10), ENTRIES],
    );
    await record(companyChanged(2, -10, true));
  });

  const stepWith = (given: Parameters<typeof depsOf>[0]) => stepJournalBackfills(depsOf(given));
  const announced = async () => {
    const [counts] = await database.query<{ events: number; entries: number }>(
      `select count(*)::integer as events, count(distinct resource_id)::integer as entries from events
       where company_id = $1`,
      [accountant],
    );
    return counts;
  };

  test('announces each entry once, also if a process crashes in or between two steps', async () => {
    expect(await announced()).toEqual({ events: FIRST, entries: FIRST });
    const crashing = beforeStatement(database, async (text) => {
      if (text.includes('insert into events')) throw new Error('crashed');
    });
    await expect(stepWith(crashing)).rejects.toThrow('crashed');
    expect(await announced()).toEqual({ events: FIRST, entries: FIRST });
    const backfills = startJournalBackfills({ ...depsOf(database), intervalMs: 3_600_000 });
    await eventually('the last step', async () => (await announced())?.entries === ENTRIES);
    await backfills.stop();
    expect(await announced()).toEqual({ events: ENTRIES, entries: ENTRIES });
    expect(await stepWith(database)).toBe(false);
  });

  test('follows a version that arrives between two steps', async () => {
    const between = newId('jrn');
    await record(entryRecorded(between, -5), companyChanged(3, -10, false));
    while (await stepWith(database));
    expect(await announced()).toEqual({ events: 0, entries: 0 });
    await record(companyChanged(4, -6, true));
    while (await stepWith(database));
    expect(await recipientsOf(between)).toEqual([accountant]);
    expect(await announced()).toEqual({ events: 1, entries: 1 });
  });

  test('lets other messages be recorded between two steps', async () => {
    const [reached, released] = [createGate(), createGate()];
    const step = stepWith(
      beforeStatement(database, async (text) => {
        if (!text.includes('insert into events')) return;
        reached.open();
        await released.opened;
      }),
    );
    await reached.opened;
    const entryId = newId('jrn');
    await record(entryRecorded(entryId, -5));
    expect(await stepWith(database)).toBe(false);
    released.open();
    expect(await step).toBe(true);
    while (await stepWith(database));
    expect(await announced()).toEqual({ events: ENTRIES + 1, entries: ENTRIES + 1 });
  });

  test('takes no step while the company changes', async () => {
    await database.transaction(async (tx) => {
      await tx.query('select from companies where id = $1 for no key update', [companyId]);
      expect(await stepWith(database)).toBe(false);
    });
    expect(await stepWith(database)).toBe(true);
  });
});

describe('the end of a link that arrives after an entry [PLATFORM-21]', () => {
  test.each([
    ['of which no attempt has begun is withdrawn', '', false],
    ['that waits for its paused subscription is withdrawn', `state = 'held'`, false],
    ['whose attempt is in flight stays', `lease_id = 'lease'`, true],
    ['whose attempt had no result stays', 'overdue_since = now()', true],
    ['that is retried stays', `state = 'retry_scheduled', attempts = 1`, true],
    ['that was delivered stays', 'attempts = 1', true],
  ])('an event %s, and a further link announces each entry once', async (what, change, stays) => {
    const subscriptionId = await fixture.subscription({ companyId: accountant, events: ['journal.*'] });
    const entryId = newId('jrn');
    await record(companyChanged(1, -60, true), entryRecorded(entryId, -8));
    const [delivery] = await fixture.deliveriesOf(subscriptionId);
    if (delivery === undefined) throw new Error('the entry has a delivery');
    if (change !== '') await database.query(`update deliveries set ${change} where id = $1`, [delivery.id]);
    if (what.includes('delivered')) await fixture.finish('delivered', delivery.id);

    await record(companyChanged(2, -10, false));
    expect(await recipientsOf(entryId)).toHaveLength(stays ? 1 : 0);
    expect(await fixture.deliveriesOf(subscriptionId)).toHaveLength(stays ? 1 : 0);

    await record(companyChanged(3, -9, true));
    expect(await recipientsOf(entryId)).toEqual([accountant]);
    expect(await fixture.deliveriesOf(subscriptionId)).toHaveLength(1);
  });
});
