import { isErrorReason } from '@partner/proto-contracts/public-api/error-reasons';
import { LIMITS } from '@partner/proto-contracts/public-api/limits';
import { invariant } from '@partner/runtime/invariant';
import { type IdempotencyMark, ServiceError } from '@partner/runtime/service-error';
import { z } from 'zod';
import { type Database, LockTimeoutError, type Transaction } from '../database/database.js';

/** What a key is bound to on its first use. */
export interface IdempotencyBinding {
  readonly key: string;
  /** Method and path. */
  readonly operation: string;
  /** SHA-256 of the canonical body. */
  readonly bodySha256: Uint8Array;
}

/**
 * How work ended. `refused` is an outcome that the key keeps, such as `stale_version`; it must be decided before any
 * effect, because it is committed.
 */
export type WorkOutcome<T> =
  | {
      readonly kind: 'done';
      readonly result: T;
      /** The last statements before the commit: those that take a lock which many writers need. */
      readonly lastly?: (tx: Transaction) => Promise<void>;
    }
  | { readonly kind: 'refused'; readonly refusal: ServiceError };

/** A second request waits this long at most for the first one with the same key. */
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
 * Does work once per idempotency key (spec: Idempotency rules 1, 2). One transaction binds the key to company, operation
 * and body, does the work and keeps its outcome: all of it or nothing. The same key with the same operation and body gives
 * the first outcome again, without an effect; with another one it fails with `idempotency_mismatch`. A request whose key is
 * in use waits 2 s, or shorter when its caller does, then fails with `idempotency_in_progress`. Whatever work throws leaves the key unused. Without a key the
 * work is done each time.
 *
 * Locks: first the key's row, then those of the work, last those of `lastly`.
 */
export async function runIdempotent<T>(
  deps: { readonly database: Pick<Database, 'transaction'>; readonly clock: () => Date },
  request: {
    readonly companyId: string;
    readonly binding: IdempotencyBinding | undefined;
    /** Reads a kept result back. */
    readonly result: z.ZodType<T>;
    /** For how many milliseconds the caller still waits. */
    readonly timeoutMs?: number | undefined;
    readonly work: (tx: Transaction) => Promise<WorkOutcome<T>>;
  },
): Promise<{ readonly result: T; readonly idempotency: IdempotencyMark | undefined }> {
  const { companyId, binding } = request;
  const settled = await deps.database.transaction(
    async (tx) => {
      if (binding === undefined) {
        const outcome = await request.work(tx);
        await finish(tx, outcome);
        return { outcome, idempotency: undefined };
      }
      const claim = await claimKey(tx, companyId, binding, deps.clock());
      if (claim.kind === 'used') {
        const outcome = parseOutcome(claim.outcome, request.result);
        return { outcome, idempotency: { replayed: true, expiresAt: claim.expiresAt } };
      }
      const outcome = await request.work(tx);
      await tx.query('update idempotency_keys set outcome = $3 where company_id = $1 and key = $2', [
        companyId,
        binding.key,
        formatOutcome(outcome),
      ]);
      await finish(tx, outcome);
      return { outcome, idempotency: { replayed: false, expiresAt: claim.expiresAt } };
    },
    { companyId, lockTimeoutMs: WAIT_MS, timeoutMs: request.timeoutMs },
  );
  const { outcome, idempotency } = settled;
  if (outcome.kind === 'done') return { result: outcome.result, idempotency };
  throw new ServiceError(outcome.refusal.reason, outcome.refusal.message, {
    ...outcome.refusal.attributes,
    ...(idempotency === undefined ? {} : { idempotency }),
  });
}

async function finish<T>(tx: Transaction, outcome: WorkOutcome<T>): Promise<void> {
  if (outcome.kind === 'done') await outcome.lastly?.(tx);
}

type Claim =
  | { readonly kind: 'free'; readonly expiresAt: Date }
  | { readonly kind: 'used'; readonly outcome: string; readonly expiresAt: Date };

/** Takes a key that is new or has expired, else locks the row and reads what it is bound to. */
async function claimKey(
  tx: Transaction,
  companyId: string,
  binding: IdempotencyBinding,
  now: Date,
): Promise<Claim> {
  const expiresAt = new Date(now.getTime() + RETENTION_MS);
  const bodySha256 = Buffer.from(binding.bodySha256);
  const claimed = await tx
    .query(
      `insert into idempotency_keys as held (company_id, key, operation, body_sha256, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (company_id, key) do update
         set operation = excluded.operation, body_sha256 = excluded.body_sha256, outcome = null,
             created_at = excluded.created_at, expires_at = excluded.expires_at
         where held.expires_at <= excluded.created_at
       returning key`,
      [companyId, binding.key, binding.operation, bodySha256, now, expiresAt],
    )
    .catch((error: unknown) => {
      if (!(error instanceof LockTimeoutError)) throw error;
      throw new ServiceError(
        'idempotency_in_progress',
        'a request with this Idempotency-Key is still running; retry with the same key',
        { retryAfterSeconds: 1 },
      );
    });
  if (claimed.length > 0) return { kind: 'free', expiresAt };

  const [held] = await tx.query<{
    operation: string;
    body_sha256: Buffer;
    outcome: string;
    expires_at: Date;
  }>(
    'select operation, body_sha256, outcome, expires_at from idempotency_keys where company_id = $1 and key = $2',
    [companyId, binding.key],
  );
  invariant(held, 'a key that is not free is held');
  if (held.operation !== binding.operation || !held.body_sha256.equals(bodySha256)) {
    throw new ServiceError(
      'idempotency_mismatch',
      'this Idempotency-Key was used for another operation or another body; use a new key',
    );
  }
  return { kind: 'used', outcome: held.outcome, expiresAt: held.expires_at };
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
