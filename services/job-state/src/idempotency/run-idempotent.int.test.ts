import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { ServiceError } from '@partner/kernel/process/service-error';
import { z } from 'zod';
import { type Database } from '../database/database.js';
import { createGate } from '../testing/create-gate.js';
import { untilLockWaits } from '../testing/lock-waits.js';
import { makePartitionsAhead } from '../retention/run-retention.js';
import { runIdempotent } from './run-idempotent.js';
import { binding, TEST_NOW } from '../testing/test-jobs.js';
import { database } from '../testing/file-database.js';

const HOLDING_PERIOD_MS = 45 * 24 * 3_600_000;

describe('work that refuses', () => {
  const KEY = 'key-1';
  let refusals = 0;

  /** Does work that refuses, as a company whose key it is. */
  const refuse = (companyId: string, given: ReturnType<typeof binding> | undefined, refusal: ServiceError) =>
    runIdempotent(
      { database, clock: () => TEST_NOW },
      {
        companyId,
        binding: given,
        result: z.string(),
        load: () => Promise.resolve('loaded'),
        work: async () => {
          refusals += 1;
          return { kind: 'refused', refusal };
        },
      },
    ).then(
      () => undefined,
      (error: unknown) => ServiceError.from(error),
    );

  test.each([
    {},
    { currentVersion: 3 },
    { currentVersion: 3, currentStatus: 'ON_SITE', allowed: ['WORK_COMPLETE', 'BLOCKED'] },
  ])('is repeated with all that it said: %j [IDEM-2]', async (attributes) => {
    const companyId = newId('cmp');
    const refusal = new ServiceError('transition_not_allowed', 'from here it cannot move', attributes);
    refusals = 0;
    const first = await refuse(companyId, binding(KEY), refusal);
    const again = await refuse(companyId, binding(KEY), refusal);
    const expiresAt = new Date(TEST_NOW.getTime() + HOLDING_PERIOD_MS);
    expect(refusals).toBe(1);
    for (const error of [first, again]) {
      expect(error).toMatchObject({ reason: refusal.reason, message: refusal.message });
      const idempotency = { replayed: error === again, expiresAt };
      expect(error?.attributes).toEqual({ ...attributes, idempotency });
    }
  });

  test('is done each time without a key', async () => {
    refusals = 0;
    const refusal = new ServiceError('stale_version', 'it has changed', { currentVersion: 2 });
    for (let turn = 0; turn < 2; turn += 1) {
      expect((await refuse(newId('cmp'), undefined, refusal))?.attributes).toEqual({ currentVersion: 2 });
    }
    expect(refusals).toBe(2);
  });

  test.each([
    ['body', binding(KEY, 'POST /things', '{"other":1}')],
    ['operation', binding(KEY, 'PUT /things')],
  ])('is not repeated for another %s: the key is refused [IDEM-2]', async (_what, other) => {
    const companyId = newId('cmp');
    const refusal = new ServiceError('stale_version', 'it has changed');
    await refuse(companyId, binding(KEY), refusal);
    refusals = 0;
    const { message, reason } = (await refuse(companyId, other, refusal)) ?? {};
    expect(reason).toBe('idempotency_mismatch');
    expect(message).toContain('this Idempotency-Key was used with a different method, path or body');
    expect(refusals).toBe(0);
  });
});

describe('a key at the boundary of two partitions', () => {
  /** Midnight before a Monday: keys that expire by then are in another partition than later ones. */
  const BORDER = new Date('2026-06-01T00:00:00.000Z');
  const clockOf = (offsetMs: number) => () => new Date(BORDER.getTime() - HOLDING_PERIOD_MS + offsetMs);

  beforeAll(() => makePartitionsAhead(database, clockOf(0)));

  /** Uses a key at the time of a clock; returns how often the work ran. */
  function createUse(
    companyId: string,
    given: ReturnType<typeof binding>,
    on: Pick<Database, 'transaction'> = database,
  ) {
    let count = 0;
    return {
      count: () => count,
      use: (clock: () => Date, work: () => Promise<unknown> = () => Promise.resolve()) =>
        runIdempotent(
          { database: on, clock },
          {
            companyId,
            binding: given,
            result: z.string(),
            load: () => Promise.resolve(),
            work: async () => {
              count += 1;
              await work();
              return { kind: 'done', result: clock().toISOString() };
            },
          },
        ),
    };
  }

  test.each([
    ['ahead', -1, 0],
    ['behind', 0, -1],
  ])(
    'is used once by two concurrent requests, if the clock of the second is %s [IDEM-5]',
    async (_how, firstMs, secondMs) => {
      const { use, count } = createUse(newId('cmp'), binding(newId('evt')));
      const [begun, ends] = [createGate(), createGate()];
      const first = use(clockOf(firstMs), async () => {
        begun.open();
        await ends.opened;
      });
      await begun.opened;
      const second = use(clockOf(secondMs));
      await untilLockWaits(database);
      ends.open();
      const result = clockOf(firstMs)().toISOString();
      const expiresAt = new Date(BORDER.getTime() + firstMs);
      expect(await first).toEqual({ result, idempotency: { replayed: false, expiresAt } });
      expect(await second).toEqual({ result, idempotency: { replayed: true, expiresAt } });
      expect(count()).toBe(1);
    },
  );

  test('is used once by many concurrent requests with different clocks', async () => {
    const { use, count } = createUse(newId('cmp'), binding(newId('evt')));
    const forty = Array.from({ length: 40 }, (_, index) => use(clockOf((index % 5) - 2)));
    const outcomes = await Promise.all(forty);
    expect(new Set(outcomes.map(({ result }) => result)).size).toBe(1);
    expect(outcomes.filter(({ idempotency }) => idempotency?.replayed === false)).toHaveLength(1);
    expect(count()).toBe(1);
  });

  test('is free again once it has expired, not before, and is then held for as long again', async () => {
    const { use, count } = createUse(newId('cmp'), binding(newId('evt')));
    await use(clockOf(-1));
    await use(clockOf(-1 + HOLDING_PERIOD_MS - 1));
    expect(count()).toBe(1);
    await use(clockOf(-1 + HOLDING_PERIOD_MS));
    expect(count()).toBe(2);
    await use(clockOf(-1 + 2 * HOLDING_PERIOD_MS - 1));
    expect(count()).toBe(2);
  });

  test('is in use for a request that has waited 2 seconds, and is then not bound to that request [IDEM-5]', async () => {
    const limits: unknown[] = [];
    const { use, count } = createUse(newId('cmp'), binding(newId('evt')), {
      transaction: (work, given) => {
        limits.push(given);
        return database.transaction(work, given);
      },
    });
    const [begun, ends] = [createGate(), createGate()];
    const first = use(clockOf(-1), async () => {
      begun.open();
      await ends.opened;
      throw new Error('undone');
    });
    await begun.opened;
    await expect(use(clockOf(0))).rejects.toMatchObject({ reason: 'idempotency_in_progress' });
    ends.open();
    await expect(first).rejects.toThrow('undone');
    expect(await use(clockOf(0))).toMatchObject({ idempotency: { replayed: false } });
    expect(count()).toBe(2);
    expect(limits).toEqual(limits.map(() => expect.objectContaining({ lockTimeoutMs: 2_000 })));
  });
});
