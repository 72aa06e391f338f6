import type { Logger } from '@partner/kernel/telemetry/logger';
import type { Registry } from 'prom-client';
import type { Database, Transaction } from '../../database/database.js';
import { type Loop, startLoop } from '../../database/start-loop.js';
import { DUE_COLUMNS, type DueBulkReplay } from './bulk-replay-resource.js';
import type { Step } from './queue-events.js';
import { stepReplay } from './replay-deliveries.js';
import { stepEvents } from './replay-events.js';
import { stepBackfill } from './step-backfill.js';
import { isDue, isWaiting } from '../deliveries/delivery-columns.js';
import { sendLiveUpdate } from '../../live-updates/send-live-update.js';
import { deliveriesWaiting } from '../deliveries/releaser.js';

/** Maximum number of due deliveries of one bulk replay that wait for an attempt. One step may exceed it by its size. */
const MAX_WAITING = 100;
const BACKLOG_PAUSE_SECONDS = 1;
const SECONDS_PER_MINUTE = 60;
const FAILURE_PAUSE_MS = 5_000;
/** Of the interval, after a minute without a step. */
const QUIET_FACTOR = 5;
const QUIET_AFTER_MS = 60_000;
const FAILED_STEP_PAUSE_SECONDS = 60;

export interface BulkReplayStepDeps {
  readonly database: Pick<Database, 'transaction'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** The clock of event ids. */
  readonly clock: () => Date;
}

/**
 * Runs the steps of bulk replays and back-fills until it is stopped. Any number of replicas can run.
 *
 * A start wakes it. While none has taken a step for a minute, it looks less often for those that another replica has left.
 */
export function startBulkReplays(
  deps: BulkReplayStepDeps & {
    readonly metrics: Registry;
    readonly intervalMs: number;
    readonly elapsedMs: () => number;
  },
): Loop {
  const { intervalMs, elapsedMs } = deps;
  let steppedAt = Number.NEGATIVE_INFINITY;
  return startLoop({
    name: 'bulk_replays',
    intervalMs: () => (elapsedMs() - steppedAt < QUIET_AFTER_MS ? 1 : QUIET_FACTOR) * intervalMs,
    failurePauseMs: FAILURE_PAUSE_MS,
    logger: deps.logger,
    metrics: deps.metrics,
    async runOnce() {
      const outcome = await stepBulkReplay(deps);
      if (outcome === 'more') steppedAt = elapsedMs();
      return outcome;
    },
  });
}

/**
 * Runs one due step of a bulk replay or back-fill.
 *
 * It queues at most a second's worth of its rate and advances the position of the next step in one transaction, so a crash
 * neither queues an event twice nor skips one. A bulk replay of a paused subscription is not due until the activation; one of a
 * deleted subscription is cancelled. Returns `idle` if nothing was due. A failed step is logged and retried after {@link
 * FAILED_STEP_PAUSE_SECONDS}, so that it does not block others. It throws if it cannot record that either.
 *
 * Locks: the bulk replay and its subscription, without waiting for either, then the numbers of the company if an event is
 * queued to the subscription for the first time. The second excludes a concurrent replay of a single
 * delivery, a pause and a deletion.
 */
export async function stepBulkReplay(deps: BulkReplayStepDeps): Promise<'more' | 'idle'> {
  let picked: DueBulkReplay | undefined;
  const pick = (due: DueBulkReplay) => void (picked = due);
  try {
    return await stepNext(deps, pick);
  } catch (error) {
    if (picked === undefined) throw error;
    await putOff(deps, picked, error);
    return 'more';
  }
}

/** Calls `pick` with the bulk replay before its step begins. */
async function stepNext(
  deps: BulkReplayStepDeps,
  pick: (due: DueBulkReplay) => void,
): Promise<'more' | 'idle'> {
  const done = await deps.database.transaction(async (tx) => {
    const [due] = await tx.query<DueBulkReplay>(
      `select ${DUE_COLUMNS}
       from bulk_replays b
       join subscriptions s on s.id = b.subscription_id
       join companies c on c.id = s.company_id
       where b.state = 'running' and (b.next_run_at <= now() or b.next_step_at <= now())
         and (s.state = 'active' or s.deleted_at is not null)
       order by coalesce(b.next_step_at, b.next_run_at)
       limit 1
       for no key update of b skip locked for no key update of s skip locked`,
    );
    if (due === undefined) return undefined;
    pick(due);
    const step = due.isDeleted ? undefined : await takeStep(tx, due, deps.clock);
    const state = step === undefined ? 'cancelled' : step.isDone ? 'done' : 'running';
    await tx.query(
      `update bulk_replays set state = $2, queued = queued + $3, after_id = $4,
         finished_at = case when $2 <> 'running' then now() end,
         next_run_at = greatest(next_run_at, now() - interval '1 second') + make_interval(secs => $5),
         next_step_at = case when next_step_at is not null
           then greatest(next_step_at, now() - interval '1 second') + make_interval(secs => $5) end
       where id = $1`,
      [
        due.id,
        state,
        step?.queued ?? 0,
        step?.afterId ?? due.afterId,
        step === undefined ? 0 : (step.queued * SECONDS_PER_MINUTE) / due.perMinute + step.pauseSeconds,
      ],
    );
    if (step !== undefined && step.queued > 0) deliveriesWaiting.tell(tx, due.subscriptionId);
    if (state !== 'running' || (step?.queued ?? 0) > 0) {
      sendLiveUpdate(tx, due.companyId, [due.subscriptionId]);
    }
    return { due, state, queued: due.queued + (step?.queued ?? 0) };
  });
  if (done === undefined) return 'idle';
  const { due, state, queued } = done;
  if (state !== 'running') {
    const { id: replayId, subscriptionId, companyId, kind } = due;
    deps.logger.info({ replayId, subscriptionId, companyId, kind, queued }, `bulk_replay.${state}`);
  }
  return 'more';
}

async function putOff(deps: BulkReplayStepDeps, due: DueBulkReplay, error: unknown): Promise<void> {
  const { id: replayId, subscriptionId, companyId, kind } = due;
  deps.logger.warn({ err: error, replayId, subscriptionId, companyId, kind }, 'bulk_replay.step_failed');
  await deps.database.transaction((tx) =>
    tx.query(
      `update bulk_replays set
         next_run_at = case when next_step_at is null then now() + make_interval(secs => $2) else next_run_at end,
         next_step_at = case when next_step_at is not null then now() + make_interval(secs => $2) end
       where id = $1 and state = 'running'`,
      [replayId, FAILED_STEP_PAUSE_SECONDS],
    ),
  );
}

async function takeStep(tx: Transaction, due: DueBulkReplay, clock: () => Date): Promise<Step> {
  if (await isBacklogged(tx, due)) {
    return { queued: 0, afterId: due.afterId, isDone: false, pauseSeconds: BACKLOG_PAUSE_SECONDS };
  }
  switch (due.kind) {
    case 'replay':
      return stepReplay(tx, due);
    case 'backfill':
      return stepBackfill(tx, due, clock());
    case 'events':
      return stepEvents(tx, due);
  }
}

/** An endpoint slower than the rate slows the replay down, so that new events do not wait behind replayed ones. */
async function isBacklogged(tx: Transaction, due: DueBulkReplay): Promise<boolean> {
  const [row] = await tx.query<{ unfinished: number }>(
    `select count(*)::integer as unfinished
     from (
       select from deliveries where bulk_replay_id = $1 and state = 'pending'
       union all
       select from deliveries d where d.subscription_id = $3 and ${isWaiting('d', 'retry_scheduled')} and ${isDue('d')}
       limit $2
     ) waiting`,
    [due.id, MAX_WAITING, due.subscriptionId],
  );
  return row !== undefined && row.unfinished >= MAX_WAITING;
}
