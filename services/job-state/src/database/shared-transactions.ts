import { AsyncResource } from 'node:async_hooks';
import { batchWhileBusy } from '@partner/kernel/batch-while-busy';
import { ServiceError } from '@partner/kernel/service-error';
import { tooManyInFlight } from '@partner/kernel/share-gate';
import { LockTimeoutError, unavailable } from './server-failures.js';

const MAX_WRITES = 20;

/** A write of one company that may share its transaction. */
interface Write<Tx> {
  readonly keys: readonly string[];
  readonly work: (tx: Tx) => Promise<void>;
  /** Runs a function on behalf of the write's request and in its trace. */
  readonly runInRequest: <T>(run: () => T) => T;
  readonly leftMs: () => number;
  readonly lockTimeoutMs: number;
}

interface Company<Tx> {
  writes: number;
  /** The names of its writes that share, or wait to share, a transaction. */
  readonly keys: Set<string>;
  readonly write: (write: Write<Tx>) => Promise<void>;
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
 * Each company has one such transaction at a time, and at most `queue` writes in it or behind it. More fail with `unavailable`, and
 * so does a write whose caller's deadline passes before it begins. A write with a name of another one there runs alone at once.
 *
 * If a write throws, the transaction is rolled back and each of its writes runs again alone, so only that one fails. A write may
 * therefore run twice, but takes effect once.
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
      write: batchWhileBusy<Write<Tx>>({
        maxItems: MAX_WRITES,
        run: (writes) => runTogether(companyId, writes),
        isOfAll: (cause) =>
          cause instanceof ServiceError &&
          cause.reason === 'unavailable' &&
          !(cause instanceof LockTimeoutError),
      }),
    };
    companies.set(companyId, opened);
    return opened;
  }

  async function runTogether(companyId: string, all: readonly Write<Tx>[]): Promise<void> {
    const writes = all.filter(({ leftMs }) => leftMs() > 0);
    if (writes.length === 0) return;
    // Locks are taken in one order, so that two replicas cannot deadlock.
    const ordered = writes.toSorted((a, b) => (a.keys.join(' ') < b.keys.join(' ') ? -1 : 1));
    const transact = () =>
      options.transaction(
        async (tx) => {
          await Promise.all(ordered.map(({ work, runInRequest }) => runInRequest(() => work(tx))));
        },
        {
          companyId,
          lockTimeoutMs: Math.min(...writes.map(({ lockTimeoutMs }) => lockTimeoutMs)),
          // The latest deadline: a caller that has given up must not fail the others.
          timeoutMs: Math.max(...writes.map(({ leftMs }) => leftMs())),
        },
      );
    const [only, ...others] = writes;
    await (only !== undefined && others.length === 0 ? only.runInRequest(transact) : transact());
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
    company.writes += 1;
    for (const key of keys) company.keys.add(key);
    try {
      await company.write({
        ...limits,
        keys,
        runInRequest: AsyncResource.bind((run) => run()),
        work: async (tx) => {
          done = { result: await work(tx) };
        },
      });
    } finally {
      company.writes -= 1;
      for (const key of keys) company.keys.delete(key);
      if (company.writes === 0) companies.delete(companyId);
    }
    if (done === undefined) throw unavailable(new Error('the caller waits no longer'));
    return done.result;
  };
}
