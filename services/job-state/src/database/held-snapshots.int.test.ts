import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { holdTransaction } from '../testing/hold-transaction.js';
import { testDatabase } from '../testing/things-fixture.js';
import { measureHeldSnapshots } from './held-snapshots.js';

test('the oldest snapshot is measured, and its session is logged once it is five minutes old', async () => {
  const metrics = new Registry();
  const logged: unknown[] = [];
  let elapsedMs = 0;
  measureHeldSnapshots({
    ...{ database: testDatabase.database, metrics, freshMs: 0, elapsedMs: () => elapsedMs },
    logger: { warn: (...line: readonly unknown[]) => void logged.push(...line) },
  });
  const secondsAt = async (seconds: number) => {
    elapsedMs = seconds * 1_000;
    const { values } = (await metrics.getMetricsAsJSON())[0] ?? { values: [] };
    return values[0]?.value;
  };
  const other = testDatabase.connect();
  const holder = await holdTransaction(other, (tx) => tx.query('select pg_current_xact_id()'));
  // Until then it holds nothing back.
  await testDatabase.database.query('select pg_current_xact_id()');
  expect(await secondsAt(0)).toBe(0);
  expect(await secondsAt(299)).toBe(299);
  expect(logged).toEqual([]);
  expect(await secondsAt(301)).toBe(301);
  expect(await secondsAt(302)).toBe(302);
  const session = { pid: expect.any(Number), user: expect.any(String), application: 'job-state' };
  expect(logged).toEqual([{ ...session, seconds: 301 }, 'database.snapshot_held']);
  await holder.release();
  expect(await secondsAt(303)).toBe(0);
});
