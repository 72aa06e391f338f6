import { AsyncResource } from 'node:async_hooks';
import { batchWhileBusy } from '@partner/kernel/process/batch-while-busy';
import { invariant } from '@partner/kernel/process/invariant';
import { tooManyInFlight } from '@partner/kernel/process/share-gate';
import { CommitUnknownError } from './server-failures.js';

const MAX_WRITES = 20;
/** Maximum wait of a shared transaction for a lock. Afterwards only the write that needs the lock waits longer. */
const SHARED_LOCK_MS = 500;

/** A write of one company that may share its transaction. */
interface Write<Tx> {
  readonly keys: readonly string[];
  readonly work: (tx: Tx) => Promise<void>;
  /** Runs a function on behalf of the write's request and in its trace. */
  readonly runInRequest: <T>(run: () => T) => T;
  readonly leftMs: () => number;
  readonly lockTimeoutMs: number;
}

interface Written {
  /** The transaction of the write alone, if it takes no part in the shared one or that was rolled back. */
  readonly again: Promise<void> | undefined;
}

interface Company<Tx> {
  writes: number;
  /** The names of its writes that share, or wait to share, a transaction. */
  readonly keys: Set<string>;
  readonly write: (write: Write<Tx>) => Promise<Written>;
}

/** Runs work in one transaction with other work of the company; see `sharedBy` of its limits. */
export type ShareTransaction<Tx> = <T>(
  companyId: string,
  keys: readonly string[],
  work: (tx: Tx) => Promise<T> | T,
  limits: { readonly leftMs: () => number; readonly lockTimeoutMs: number },
) => Promise<T>;

/**
 * Lets the writes of one company that arrive while earlier ones run share the next transaction.
 *
 * Each company has one such transaction at a time, and at most `queue` writes in it or behind it; more fail with `unavailable`. A
 * write with a name of another one there runs alone at once.
 *
 * If a write throws, waits 0.5 s for a lock, or Postgres rolls the transaction back, each of its writes runs again alone, beside
 * the next ones. So only that write fails or waits longer. A write may run twice, but takes effect once: if the commit had no
 * response, all of its writes fail.
 */
export function createSharedTransactions<Tx>(options: {
  readonly queue: number;
  readonly transaction: <T>(
    work: (tx: Tx) => Promise<T> | T,
    limits: { readonly companyId: string; readonly lockTimeoutMs: number; readonly timeoutMs: number },
  ) => Promise<T>;
}): ShareTransaction<Tx> {
  const companies = new Map<string, Company<Tx>>();

  function openCompany(companyId: string): Company<Tx> {
    const opened: Company<Tx> = {
      writes: 0,
      keys: new Set(),
      write: batchWhileBusy<Write<Tx>, Written>({
        maxItems: MAX_WRITES,
        run: (writes) => runBatch(companyId, writes),
        isOfAll: () => true,
      }),
    };
    companies.set(companyId, opened);
    return opened;
  }

  async function runBatch(companyId: string, batch: readonly Write<Tx>[]): Promise<readonly Written[]> {
    const writes = batch.filter(({ leftMs }) => leftMs() > 0);
    // The others fail there, since their callers wait no longer.
    const alone = new Set(batch.filter((write) => !writes.includes(write)));
    const [first] = writes;
    try {
      if (writes.length > 1) await runTogether(companyId, writes);
      else if (first !== undefined) await runAlone(companyId, first);
    } catch (error) {
      if (writes.length === 1 || error instanceof CommitUnknownError) throw error;
      for (const write of writes) alone.add(write);
    }
    return batch.map((write) => ({ again: alone.has(write) ? runAgain(companyId, write) : undefined }));
  }

  function runAgain(companyId: string, write: Write<Tx>): Promise<void> {
    const again = runAlone(companyId, write);
    again.catch(() => undefined);
    return again;
  }

  function runAlone(
    companyId: string,
    { work, runInRequest, leftMs, lockTimeoutMs }: Write<Tx>,
  ): Promise<void> {
    return runInRequest(() => options.transaction(work, { companyId, lockTimeoutMs, timeoutMs: leftMs() }));
  }

  async function runTogether(companyId: string, writes: readonly Write<Tx>[]): Promise<void> {
    // Locks are taken in one order, so that two replicas cannot deadlock.
    const ordered = writes.toSorted((a, b) => (a.keys.join(' ') < b.keys.join(' ') ? -1 : 1));
    await options.transaction(
      async (tx) => {
        // None may send a statement after another one's failure has ended the transaction.
        const settled = await Promise.allSettled(
          ordered.map(({ work, runInRequest }) => runInRequest(() => work(tx))),
        );
        for (const outcome of settled) if (outcome.status === 'rejected') throw outcome.reason;
      },
      {
        companyId,
        lockTimeoutMs: Math.min(SHARED_LOCK_MS, ...writes.map(({ lockTimeoutMs }) => lockTimeoutMs)),
        // The latest deadline: a caller that has given up must not fail the others.
        timeoutMs: Math.max(...writes.map(({ leftMs }) => leftMs())),
      },
    );
  }

  return async <T>(
    companyId: string,
    keys: readonly string[],
    work: (tx: Tx) => Promise<T> | T,
    limits: { readonly leftMs: () => number; readonly lockTimeoutMs: number },
  ) => {
    const company = companies.get(companyId) ?? openCompany(companyId);
    if (company.writes >= options.queue) throw tooManyInFlight('writes of this company');
    const { leftMs, lockTimeoutMs } = limits;
    // It waits for the other one's locks in the database, within its own limits.
    if (keys.some((key) => company.keys.has(key))) {
      return options.transaction(work, { companyId, lockTimeoutMs, timeoutMs: leftMs() });
    }
    let done: { readonly result: T } | undefined;
    const write: Write<Tx> = {
      ...limits,
      keys,
      runInRequest: AsyncResource.bind((run) => run()),
      work: async (tx) => {
        done = { result: await work(tx) };
      },
    };
    company.writes += 1;
    for (const key of keys) company.keys.add(key);
    try {
      const { again } = await company.write(write);
      await again;
    } finally {
      company.writes -= 1;
      for (const key of keys) company.keys.delete(key);
      if (company.writes === 0) companies.delete(companyId);
    }
    invariant(done, 'a committed write has a result');
    return done.result;
  };
}
