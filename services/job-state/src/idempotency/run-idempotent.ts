import { isErrorReason } from '@partner/proto-contracts/api/error-reasons';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { type IdempotencyMark, ServiceError } from '@partner/kernel/process/service-error';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { z } from 'zod';
import type { PreparedStatement } from '../database/connection-pool.js';
import { LockTimeoutError } from '../database/server-failures.js';
import type { Database, Transaction } from '../database/database.js';

export interface WriteDeps {
  readonly database: Pick<Database, 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Logger;
}

/** The request that a key is bound to on its first use. */
export interface IdempotencyBinding {
  readonly key: string;
  /** Method and path. */
  readonly operation: string;
  /** SHA-256 of the canonical body. */
  readonly bodySha256: Uint8Array;
}

/**
 * Outcome of idempotent work.
 *
 * The key keeps `refused`, such as `stale_version`. It is committed, so it must be decided before any effect.
 */
export type WorkOutcome<T> =
  | { readonly kind: 'done'; readonly result: T }
  | { readonly kind: 'refused'; readonly refusal: ServiceError };

/** Maximum wait of a second request for the first one with the same key. */
const WAIT_MS = 2_000;
const RETENTION_MS = LIMITS.idempotencyRetentionDays * 24 * 3_600_000;

const storedRefusal = z.object({
  reason: z.string().refine(isErrorReason),
  message: z.string(),
  currentVersion: z.int().optional(),
  currentStatus: z.string().optional(),
  allowed: z.array(z.string()).readonly().optional(),
});

/**
 * Does work once per idempotency key (spec: Idempotency rules 1, 2).
 *
 * One transaction binds the key to company, operation and body, does the work and stores its outcome. The same key with the
 * same operation and body returns the first outcome again without an effect; with another operation or body it fails with
 * `idempotency_mismatch`. A request whose key is in use waits 2 s, or until its caller's deadline, then fails with
 * `idempotency_in_progress`. If the work throws, the key stays unused. Without a key the work is done each time.
 *
 * `load` reads and locks what the work needs. It is sent together with the lookup of the key, so it runs for repeats too. A
 * repeat runs `checkRepeat` first. If that throws, the caller gets its error, and the stored outcome stays. Work that only
 * sends its effects costs one more round trip, the commit included.
 *
 * Locks: first an advisory lock on company and key, then those of `load` and of the work.
 */
export async function runIdempotent<T, Loaded>(
  deps: { readonly database: Pick<Database, 'transaction'>; readonly clock: () => Date },
  request: {
    readonly companyId: string;
    readonly binding: IdempotencyBinding | undefined;
    readonly result: z.ZodType<T>;
    /** Must send its statements at once. Its failure fails a repeat too: the transaction is then lost. */
    readonly load: (tx: Transaction) => Promise<Loaded>;
    /** Throws if the caller may not see the stored outcome any more; absent: the caller may, as long as the key is kept. */
    readonly checkRepeat?: (loaded: Loaded) => void;
    /** Time until the caller's deadline, in ms. */
    readonly timeoutMs?: number | undefined;
    /** Lets the work share a transaction with other work of the company; see `TransactionLimits`. */
    readonly sharedBy?: readonly string[];
    /** Absent: true; see `TransactionLimits`. */
    readonly plansOnce?: boolean;
    readonly work: (tx: Transaction, loaded: Loaded) => WorkOutcome<T> | Promise<WorkOutcome<T>>;
  },
): Promise<{ readonly result: T; readonly idempotency: IdempotencyMark | undefined }> {
  const { companyId, binding } = request;
  const settled = await deps.database.transaction(
    async (tx) => {
      if (binding === undefined) {
        return { outcome: await request.work(tx, await request.load(tx)), idempotency: undefined };
      }
      const now = deps.clock();
      const claimed = claimKey(tx, companyId, binding, now);
      const loading = request.load(tx);
      loading.catch(() => undefined);
      const claim = await claimed;
      const loaded = await loading;
      if (claim.kind === 'used') {
        request.checkRepeat?.(loaded);
        const outcome = parseOutcome(claim.outcome, request.result);
        return { outcome, idempotency: { replayed: true, expiresAt: claim.expiresAt } };
      }
      const outcome = await request.work(tx, loaded);
      const { expiresAt } = claim;
      keepKey(tx, companyId, binding, { outcome: formatOutcome(outcome), now, expiresAt });
      return { outcome, idempotency: { replayed: false, expiresAt } };
    },
    {
      companyId,
      ...(request.sharedBy !== undefined && { sharedBy: request.sharedBy }),
      lockTimeoutMs: WAIT_MS,
      plansOnce: request.plansOnce ?? true,
      timeoutMs: request.timeoutMs,
    },
  );
  const { outcome, idempotency } = settled;
  if (outcome.kind === 'done') return { result: outcome.result, idempotency };
  throw new ServiceError(outcome.refusal.reason, outcome.refusal.message, {
    ...outcome.refusal.attributes,
    ...(idempotency === undefined ? {} : { idempotency }),
  });
}

/** Logs the outcome of a write in one line. `effects`: fields of a successful one, read after the commit. */
export async function logOutcome<Settled extends { readonly idempotency: IdempotencyMark | undefined }>(
  logger: Pick<Logger, 'info'>,
  log: { readonly done: string; readonly refused: string; readonly fields: object },
  writing: Promise<Settled>,
  effects: (settled: Settled) => object = () => ({}),
): Promise<Settled> {
  try {
    const settled = await writing;
    const replayed = settled.idempotency?.replayed ?? false;
    logger.info({ ...log.fields, replayed, ...effects(settled) }, log.done);
    return settled;
  } catch (error) {
    const { reason, attributes } = ServiceError.from(error);
    logger.info({ ...log.fields, reason, replayed: attributes.idempotency?.replayed ?? false }, log.refused);
    throw error;
  }
}

type Claim =
  | { readonly kind: 'free'; readonly expiresAt: Date }
  | { readonly kind: 'used'; readonly outcome: string; readonly expiresAt: Date };

const LOCK_KEYS: PreparedStatement = {
  name: 'lock-idempotency-keys',
  shared: 'together',
  // In ascending order, so that two transactions with the same keys cannot deadlock.
  text: `select pg_advisory_xact_lock(lock) from (
       select hashtextextended(company_id || ' ' || key, 0) as lock
       from unnest($1::text[], $2::text[]) as wanted (company_id, key)
       order by lock
     ) as ordered`,
};

const READ_KEYS: PreparedStatement = {
  name: 'read-idempotency-keys',
  shared: 'together',
  text: `select call, held.*
     from unnest($1::text[], $2::text[], $3::timestamptz[]) with ordinality as wanted (company_id, key, now, call)
     cross join lateral (
       select operation, body_sha256, outcome, expires_at from idempotency_keys
       where company_id = wanted.company_id and key = wanted.key and expires_at > wanted.now
       order by expires_at desc limit 1
     ) as held`,
};

/**
 * Locks the key for this transaction, whether it has a row or not, and reads its binding. An expired key is free.
 *
 * The read is a separate statement: the snapshot of a statement that waits for the lock would miss commits made meanwhile.
 */
async function claimKey(
  tx: Transaction,
  companyId: string,
  binding: IdempotencyBinding,
  now: Date,
): Promise<Claim> {
  const locked = tx.query(LOCK_KEYS, [companyId, binding.key]);
  const found = tx.query<{
    operation: string;
    body_sha256: Buffer;
    outcome: string;
    expires_at: Date;
  }>(READ_KEYS, [companyId, binding.key, now]);
  await locked.catch((error: unknown) => {
    if (!(error instanceof LockTimeoutError)) throw error;
    throw new ServiceError(
      'idempotency_in_progress',
      'a request with this Idempotency-Key is still running; retry with the same key',
      { retryAfterSeconds: 1 },
    );
  });
  const [held] = await found;
  if (held === undefined) return { kind: 'free', expiresAt: new Date(now.getTime() + RETENTION_MS) };
  if (held.operation !== binding.operation || !held.body_sha256.equals(binding.bodySha256)) {
    throw new ServiceError(
      'idempotency_mismatch',
      'this Idempotency-Key was used with a different method, path or body; all fields of the body count, exactly as sent; use a new key',
    );
  }
  return { kind: 'used', outcome: held.outcome, expiresAt: held.expires_at };
}

const KEEP_KEYS: PreparedStatement = {
  name: 'keep-idempotency-keys',
  shared: 'together',
  text: `insert into idempotency_keys (company_id, key, operation, body_sha256, outcome, created_at, expires_at)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::text[], $6::timestamptz[], $7::timestamptz[])`,
};

/** Binds a claimed key to its operation, its body and their outcome. */
function keepKey(
  tx: Transaction,
  companyId: string,
  binding: IdempotencyBinding,
  kept: { readonly outcome: string; readonly now: Date; readonly expiresAt: Date },
): void {
  void tx.query(KEEP_KEYS, [
    companyId,
    binding.key,
    binding.operation,
    Buffer.from(binding.bodySha256),
    kept.outcome,
    kept.now,
    kept.expiresAt,
  ]);
}

function formatOutcome<T>(outcome: WorkOutcome<T>): string {
  if (outcome.kind === 'done') return JSON.stringify({ kind: 'done', result: outcome.result });
  const { reason, message, attributes } = outcome.refusal;
  return JSON.stringify({
    kind: 'refused',
    refusal: {
      reason,
      message,
      currentVersion: attributes.currentVersion,
      currentStatus: attributes.currentStatus,
      allowed: attributes.allowed,
    } satisfies z.input<typeof storedRefusal>,
  });
}

function parseOutcome<T>(text: string, result: z.ZodType<T>): WorkOutcome<T> {
  const stored = z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('done'), result: z.unknown() }),
      z.object({ kind: z.literal('refused'), refusal: storedRefusal }),
    ])
    .parse(JSON.parse(text));
  if (stored.kind === 'done') return { kind: 'done', result: result.parse(stored.result) };
  const { reason, message, currentVersion, currentStatus, allowed } = stored.refusal;
  return {
    kind: 'refused',
    refusal: new ServiceError(reason, message, {
      ...(currentVersion === undefined ? {} : { currentVersion }),
      ...(currentStatus === undefined ? {} : { currentStatus }),
      ...(allowed === undefined ? {} : { allowed }),
    }),
  };
}
