import { customerRecords } from '@partner/proto-contracts/internal/operators/customers';
import type { Logger } from '@partner/kernel/telemetry/logger';
import type { Registry } from 'prom-client';
import { ERASED_TEXT } from '@partner/proto-contracts/values/redacted';
import { z } from 'zod';
import type { Database, Transaction } from '../database/database.js';
import { type Loop, startLoop } from '../database/start-loop.js';
import { instantOfChange, lockJob } from '../jobs/job-record.js';
import { writeJob } from '../jobs/write-job.js';
import { endAccess } from './end-access.js';
import type { StoredRow } from './erase-value.js';
import { followLinks, searchPosition, stepSearch } from './find-customers.js';
import { erasePage, hasAttemptInFlight, isOfResponses, isSource, rowPosition } from './stored-rows.js';

const FAILURE_PAUSE_MS = 5_000;
/**
 * Longer than a gateway accepts a revoked key (decision AUTH-13), or the console a session since its last check (60 s), and a
 * request with it takes.
 */
const LAST_REQUESTS_MS = 120_000;

/** How far an erasure is; null in its row before the first step. */
const progress = z.discriminatedUnion('kind', [
  /** Erases what everything else is rendered from. */
  z.object({ kind: z.literal('sources'), records: customerRecords, position: rowPosition }),
  /** Searches for records that were added since. */
  z.object({ kind: z.literal('search'), records: customerRecords, position: searchPosition }),
  z.object({ kind: z.literal('rows'), records: customerRecords, position: rowPosition }),
  /** Waits until no request with a key or a session of the company runs, and ends its access again. */
  z.object({ kind: z.literal('access'), companyId: z.string() }),
  z.object({ kind: z.literal('company'), companyId: z.string(), position: rowPosition }),
]);

const subjectOf = z.union([z.object({ companyId: z.string() }), customerRecords]);

type Progress = z.infer<typeof progress>;

interface Deps {
  readonly database: Pick<Database, 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Carries out erasures in steps with a transaction each, until it is stopped.
 *
 * A crash repeats at most one step, and a repeated step changes nothing. Any number of replicas can run it.
 */
export function startErasures(
  deps: Deps & {
    readonly metrics: Registry;
    readonly intervalMs: number;
  },
): Loop {
  const failed = new Set<string>();
  return startLoop({
    name: 'erasures',
    intervalMs: deps.intervalMs,
    failurePauseMs: FAILURE_PAUSE_MS,
    logger: deps.logger,
    metrics: deps.metrics,
    runOnce: async () => ((await stepErasure(deps, failed)) ? 'more' : 'idle'),
  });
}

const formerJob = z.object({ id: z.string(), customer: z.object({ name: z.string() }) });

interface DueErasure {
  readonly id: string;
  readonly subject: unknown;
  readonly progress: unknown;
  readonly requestedAt: Date;
}

/**
 * Takes one step of the oldest erasure that can proceed, and returns whether there was one. It adds the id of one that fails to
 * `failed`, and leaves these out until no other one can proceed.
 *
 * First it erases the leads, projects and jobs, from which everything else is rendered. It goes on once every transaction that was
 * open at that commit has ended: each later one renders erased data. Then it searches for records that were added meanwhile, and
 * erases all rows about them. Of a company it first ends the access again, then erases its rows. Last come the responses of receivers, once no attempt with the former body is in flight. Locks: the
 * erasure, then the rows of one page in ascending order.
 */
export async function stepErasure(
  { database, clock, logger }: Deps,
  failed = new Set<string>(),
): Promise<boolean> {
  const step = await database.transaction(async (tx) => {
    const now = clock();
    const found = await nextErasure(tx, now, failed);
    if (found === undefined) return undefined;
    const { due, at } = found;
    const { next, erased } = await takeStep(tx, at, now);
    await tx.query(
      `update erasures set progress = $2,
         erased_in = case when $3 then pg_current_xact_id() else erased_in end,
         erased_rows = case when $5 = 0 then erased_rows
           else erased_rows || jsonb_build_object($4::text, coalesce((erased_rows ->> $4)::integer, 0) + $5::integer) end,
         finished_at = $6, subject = coalesce($7, subject)
       where id = $1`,
      [
        due.id,
        next === undefined ? null : JSON.stringify(next),
        at.kind === 'sources',
        erased.table,
        erased.rows,
        next === undefined ? now : null,
        // With the records that the search has added: later responses about them are erased too.
        next === undefined && at.kind === 'rows' ? JSON.stringify(at.records) : null,
      ],
    );
    return { erasureId: due.id, isFinished: next === undefined };
  });
  // Once no other one can proceed, those that have failed are retried.
  if (step === undefined) failed.clear();
  else failed.delete(step.erasureId);
  if (step?.isFinished === true) logger.info({ erasureId: step.erasureId }, 'erasure.finished');
  return step !== undefined;
}

/** Locks the oldest erasure that can proceed. One that has to wait, or has failed, delays no other. It is in `failed` until its step succeeds. */
async function nextErasure(tx: Transaction, now: Date, failed: Set<string>) {
  for (let after = ''; ;) {
    const [due] = await tx.query<DueErasure>(
      `select id, subject, progress, requested_at as "requestedAt" from erasures
       where finished_at is null and id > $1 and id <> all($2::text[]) and (erased_in is null or progress ->> 'kind' = 'sources'
         or erased_in < pg_snapshot_xmin(pg_current_snapshot()))
       order by id limit 1 for update skip locked`,
      [after, [...failed]],
    );
    if (due === undefined) return undefined;
    failed.add(due.id);
    const at = progressOf(due);
    if (!(await isHeldUp(tx, at, now.getTime() - due.requestedAt.getTime()))) return { due, at };
    failed.delete(due.id);
    after = due.id;
  }
}

function progressOf({ subject, progress: stored }: DueErasure): Progress {
  if (stored !== null) return progress.parse(stored);
  const of = subjectOf.parse(subject);
  if ('companyId' in of) return { kind: 'access', companyId: of.companyId };
  return { kind: 'sources', records: of, position: { table: 0 } };
}

async function isHeldUp(tx: Transaction, at: Progress, ageMs: number): Promise<boolean> {
  if (at.kind === 'access') return ageMs < LAST_REQUESTS_MS;
  if (at.kind === 'company') return hasUnfinishedDelivery(tx, at.companyId);
  return at.kind === 'rows' && isOfResponses(at.position) && (await hasAttemptInFlight(tx, at.records));
}

/** Those of deleted subscriptions are cancelled, or end with the attempt in flight. */
async function hasUnfinishedDelivery(tx: Transaction, companyId: string): Promise<boolean> {
  const found = await tx.query('select from deliveries where company_id = $1 limit 1', [companyId]);
  return found.length > 0;
}

interface Step {
  /** Undefined: the erasure is finished. */
  readonly next: Progress | undefined;
  readonly erased: { readonly table: string; readonly rows: number };
}

async function takeStep(tx: Transaction, at: Progress, now: Date): Promise<Step> {
  if (at.kind === 'access') {
    await endAccess(tx, at.companyId, now);
    return { next: { ...at, kind: 'company', position: { table: 0 } }, erased: { table: '', rows: 0 } };
  }
  if (at.kind === 'company') {
    const { table, next, former } = await erasePage(tx, { companyId: at.companyId }, at.position);
    return { next: next && { ...at, position: next }, erased: { table, rows: former.length } };
  }
  if (at.kind === 'search') return { next: await search(tx, at), erased: { table: '', rows: 0 } };
  const { former, ...page } = await erasePage(tx, at.records, at.position);
  const erased = { table: page.table, rows: former.length };
  if (page.table === 'jobs') await publishErasedJobs(tx, former, now);
  if (page.next === undefined) return { next: undefined, erased };
  return at.kind === 'sources' && !isSource(page.next)
    ? { next: { ...at, kind: 'search', position: followLinks(at.records) }, erased }
    : { next: { ...at, position: page.next }, erased };
}

/**
 * Gives each changed job whose customer was not erased before a new version with a feed entry, so that its installer learns of the
 * erasure. `before`: the jobs as they were under their lock, since another erasure of the job can be in progress.
 */
async function publishErasedJobs(tx: Transaction, before: readonly StoredRow[], now: Date): Promise<void> {
  for (const row of before) {
    const { id, customer } = formerJob.parse(row);
    const job = customer.name === ERASED_TEXT ? undefined : await lockJob(tx, id);
    if (job === undefined || job.installerCompanyId === null) continue;
    const updatedAt = instantOfChange(job, now);
    writeJob(tx, {
      before: job,
      after: { ...job, version: job.version + 1, updatedAt },
      events: [],
      now: updatedAt,
    });
  }
}

/** Records that the search has added are sources too. */
async function search(tx: Transaction, at: Extract<Progress, { kind: 'search' }>): Promise<Progress> {
  const { found, next } = await stepSearch(tx, {}, at.position, Infinity);
  if (next !== undefined) return { ...at, position: next };
  const hasAdded = Object.values(found).flat().length > Object.values(at.records).flat().length;
  return { kind: hasAdded ? 'sources' : 'rows', records: found, position: { table: 0 } };
}
