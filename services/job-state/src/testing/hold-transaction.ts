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
