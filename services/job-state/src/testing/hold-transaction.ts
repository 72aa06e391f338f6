import type { Database, Transaction } from '../database/database.js';
import { createGate } from './create-gate.js';

/** Runs work in a transaction that stays open until it is released. */
export async function holdTransaction(
  database: Pick<Database, 'transaction'>,
  work: (tx: Transaction) => Promise<unknown>,
): Promise<{ readonly release: () => Promise<void> }> {
  const [held, released] = [createGate(), createGate()];
  const ended = database.transaction(async (tx) => {
    await work(tx);
    held.open();
    await released.opened;
  });
  await Promise.race([held.opened, ended]);
  return {
    release() {
      released.open();
      return ended;
    },
  };
}

/** The same database, whose transactions do their work and are then undone, as by a crash before the commit. */
export function crashingBeforeCommit(
  database: Pick<Database, 'transaction'>,
  cause = new Error('the process dies before the commit'),
): Pick<Database, 'transaction'> {
  return {
    transaction: (work, limits) =>
      database.transaction(async (tx) => {
        await work(tx);
        throw cause;
      }, limits),
  };
}

/** The same database, whose transactions do their work, and commit once `commit` is called. */
export function holdingCommits(database: Pick<Database, 'transaction'>) {
  const [worked, released] = [createGate(), createGate()];
  const held: Pick<Database, 'transaction'> = {
    transaction: (work, limits) =>
      database.transaction(async (tx) => {
        const result = await work(tx);
        // After the statements whose results the work does not wait for.
        await tx.query('select');
        worked.open();
        await released.opened;
        return result;
      }, limits),
  };
  return { database: held, worked: worked.opened, commit: released.open };
}
