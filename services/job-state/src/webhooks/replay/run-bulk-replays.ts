import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { idFloor, newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import type { Logger } from '@partner/kernel/logger';
import type { Registry } from 'prom-client';
import type { Database, Transaction } from '../../database/database.js';
import { type Loop, startLoop } from '../../database/start-loop.js';
import { numberedFrom } from '../events/delivery-numbers.js';
import { eventsOfSubscription } from '../events/events-of-subscription.js';
import { BULK_REPLAY_COLUMNS, type BulkReplayRow } from './bulk-replay-resource.js';
import { IS_SELECTED, IS_TO_BE_QUEUED, oldestInStates, selectionValues } from './bulk-replay.js';
import { eventSpan, eventsSentTo } from './replay-events.js';
import { idsCreatedWithin } from '../../database/created-within.js';
import { isDue, isWaiting, MAKE_DUE } from '../deliveries/delivery-columns.js';
import { deliveryIds, ofEvent, queueDeliveries } from '../deliveries/queue-delivery.js';

/** Age of an event before a back-fill passes it: longer than any transaction that commits one. */
const EVENTS_SETTLED_MS = 60_000;

/** Deliveries or events that one step scans: at most this many for each that it may queue, and at least this many. */
const SCANNED = { perQueued: 5, atLeast: 500 };
/** Maximum number of due deliveries of one bulk replay that wait for an attempt. One step may exceed it by its size. */
const MAX_WAITING = 100;
const BACKLOG_PAUSE_SECONDS = 1;
const SECONDS_PER_MINUTE = 60;
/** Delay between two polls of a back-fill that waits for its last events to settle. */
const SETTLE_PAUSE_SECONDS = 5;
const FAILURE_PAUSE_MS = 5_000;
/** Delay until a bulk replay whose step failed is retried. */
const FAILED_STEP_PAUSE_SECONDS = 60;

/** Dependencies of the steps of bulk replays. */
export interface BulkReplayStepDeps {
  readonly database: Pick<Database, 'transaction'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** The clock of event ids. */
  readonly clock: () => Date;
}

interface DueBulkReplay extends BulkReplayRow {
  readonly afterId: string;
  readonly isDeleted: boolean;
  readonly events: readonly string[];
  readonly schemaVersion: number;
  readonly companyClass: CompanyClassName;
  /** Of a replay of events by number, decimal texts; else null. */
  readonly firstSequence: string | null;
  readonly lastSequence: string | null;
  /** Of a replay of events by id; else null. */
  readonly eventIds: readonly string[] | null;
}

/** Outcome of a step. */
interface Step {
  readonly queued: number;
  /** The last delivery or event that the step passed. */
  readonly afterId: string;
  readonly isDone: boolean;
  /** Delay in seconds in addition to that of the rate. */
  readonly pauseSeconds: number;
}

/** Runs the steps of bulk replays and back-fills until it is stopped. Any number of replicas can run. */
export function startBulkReplays(
  deps: BulkReplayStepDeps & {
    readonly metrics: Registry;
    /** Milliseconds between two polls for due steps. */
    readonly intervalMs: number;
  },
): Loop {
  return startLoop({
    name: 'bulk_replays',
    intervalMs: deps.intervalMs,
    failurePauseMs: FAILURE_PAUSE_MS,
    logger: deps.logger,
    metrics: deps.metrics,
    runOnce: () => stepBulkReplay(deps),
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
 * Locks: the bulk replay and its subscription, without waiting for either, then the row with the numbers of the company if an event is
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
      `select ${BULK_REPLAY_COLUMNS}, b.after_id as "afterId", s.deleted_at is not null as "isDeleted", s.events,
         s.schema_version as "schemaVersion", c.class as "companyClass", b.first_sequence as "firstSequence",
         b.last_sequence as "lastSequence", b.event_ids as "eventIds"
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
         next_step_at = case when kind = 'events'
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
    if (step !== undefined && step.queued > 0) tx.wakeAfterCommit('deliveries', [due.subscriptionId]);
    if (state !== 'running' || (step?.queued ?? 0) > 0) {
      tx.announceAfterCommit(due.companyId, [due.subscriptionId]);
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
         next_run_at = case kind when 'events' then next_run_at else now() + make_interval(secs => $2) end,
         next_step_at = case kind when 'events' then now() + make_interval(secs => $2) end
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

interface StepCounts {
  readonly scanned: number;
  readonly lastScanned: string | null;
  readonly queued: number;
  readonly lastQueued: string | null;
}

/**
 * Of several deliveries of one event in the span, the newest is replayed. The event is queued once wherever the steps begin and
 * end. A delivery that waits for a retry is made due.
 */
async function stepReplay(tx: Transaction, due: DueBulkReplay): Promise<Step> {
  const size = stepSize(due.perMinute);
  const to = due.to < due.createdAt ? due.to : due.createdAt;
  const selection = { states: due.states ?? [], from: due.from, to, event: due.event ?? undefined };
  const [counts] = await tx.query<StepCounts>(
    `with scanned as materialized (
       select * from (${oldestInStates({ from: 'f.id >= $3 and f.id > $8', limit: '$9::integer' })}) m
     ), to_queue as materialized (
       select m.* from scanned m
       where ${IS_SELECTED} and ${IS_TO_BE_QUEUED} and not exists (
         select 1 from finished_deliveries f
         where f.event_id = m.event_id and f.subscription_id = $1 and f.id > m.id and f.state = any($2) and f.id < $4
           and f.created_at >= $5 and f.created_at < $6 and not f.is_test
       )
       order by m.id limit $10
     ), retried as (
       update deliveries d set ${MAKE_DUE}
       from (
         select w.id from deliveries w join to_queue m on m.id = w.id
         where ${isWaiting('w', 'retry_scheduled')}
         order by w.id for no key update of w skip locked
       ) waiting
       where d.id = waiting.id
     ), queued as (
       ${queueDeliveries(
         {
           id: deliveryIds('$11', 'row_number() over (order by m.id)'),
           subscriptionId: '$1',
           companyId: '$12',
           eventId: 'm.event_id',
           event: 'm.event',
           resourceType: 'm.resource_type',
           resourceId: 'm.resource_id',
           replayOf: 'm.id',
           bulkReplayId: '$13',
           number: 'm.number',
         },
         `to_queue m where m.state <> 'retry_scheduled'`,
       )}
     )
     ${COUNTS}`,
    [
      ...selectionValues(due.subscriptionId, selection),
      due.afterId,
      scanSize(size),
      size,
      newId('dlv'),
      due.companyId,
      due.id,
    ],
  );
  return stepOf(counts, due, size, true);
}

/**
 * Passes events only once they have settled.
 *
 * An event whose transaction was in flight at the pause or the activation saw a paused subscription and may have been committed
 * later. Its instant is outside the pause; the reason why it was not queued identifies it. An event that is withdrawn
 * concurrently is not queued: the step locks its events in ascending id.
 */
async function stepBackfill(tx: Transaction, due: DueBulkReplay, now: Date): Promise<Step> {
  const size = stepSize(due.perMinute);
  const settled = new Date(now.getTime() - EVENTS_SETTLED_MS);
  const end = new Date(due.to.getTime() + EVENTS_SETTLED_MS + 1);
  const begin = new Date(due.from.getTime() - EVENTS_SETTLED_MS);
  const [counts] = await tx.query<StepCounts>(
    `with scanned as materialized (
       select e.id, e.name, e.resource_type, e.resource_id, e.schema_version, e.created_at, e.not_queued from events e
       where e.company_id = $2 and e.id > $3 and e.id < $4 and e.test_subscription_id is null
       order by e.id limit $5
     ), to_queue as materialized (
       select m.* from scanned m
       where m.name = any($6::text[]) and m.schema_version = $7 and m.resource_id <> $1
         and (m.created_at between $8 and $9 or m.not_queued ->> $1 = 'paused')
         and not exists (select 1 from deliveries u where u.event_id = m.id and u.subscription_id = $1)
         and not exists (
           select 1 from finished_deliveries f where f.event_id = m.id and f.subscription_id = $1 and f.id >= $10
         )
       order by m.id limit $11
     ), locked as materialized (
       select e.id from to_queue m join events e on e.id = m.id order by e.id for key share of e
     ), first_of_event as materialized (
       select m.*, true as is_first, null::bigint as replayed_number from to_queue m join locked using (id)
     ), ${numberedFrom('first_of_event')}, queued as (
       ${queueDeliveries(
         {
           ...ofEvent('m'),
           id: deliveryIds('$12', 'row_number() over (order by m.id)'),
           subscriptionId: '$1',
           companyId: '$2',
           bulkReplayId: '$13',
           number: 'm.number',
         },
         'numbered m',
       )}
     )
     ${COUNTS}`,
    [
      due.subscriptionId,
      due.companyId,
      later(due.afterId, idFloor('evt', begin)),
      idFloor('evt', settled < end ? settled : end),
      scanSize(size),
      eventsOfSubscription(due.events, due.companyClass),
      due.schemaVersion,
      due.from,
      due.to,
      idFloor('dlv', new Date(begin.getTime() - EVENTS_SETTLED_MS)),
      size,
      newId('dlv'),
      due.id,
    ],
  );
  return stepOf(counts, due, size, settled >= end);
}

/**
 * Passes the selected events in ascending id, so that each is queued once.
 *
 * Those of a transaction in flight are not part of it: their own statement queues them. An event that is withdrawn concurrently is
 * not queued, as in {@link stepBackfill}.
 */
async function stepEvents(tx: Transaction, due: DueBulkReplay): Promise<Step> {
  const size = stepSize(due.perMinute);
  const { lowest, beyond } = idsCreatedWithin('evt', { from: due.from, to: due.to });
  const { condition, values } = eventSpan(due, 12);
  const [counts] = await tx.query<StepCounts>(
    `with scanned as materialized (
       select e.id, e.name, e.resource_type, e.resource_id, e.schema_version from events e
       where e.company_id = $2 and e.id > $3 and e.id >= $4 and e.id < $5 and e.test_subscription_id is null and ${condition}
       order by e.id limit $6
     ), to_queue as materialized (
       select m.* from scanned m
       where m.name = any($7::text[]) and m.schema_version = $8 and m.resource_id <> $1
         and not exists (select 1 from deliveries u where u.event_id = m.id and u.subscription_id = $1)
       order by m.id limit $9
     ), locked as materialized (
       select e.id from to_queue m join events e on e.id = m.id order by e.id for key share of e
     ), with_last as materialized (
       select m.*, last.id as replay_of, last.id is null as is_first, last.number as replayed_number
       from to_queue m join locked using (id)
       left join lateral (
         select f.id, f.number from finished_deliveries f where f.event_id = m.id and f.subscription_id = $1
         order by f.id desc limit 1
       ) last on true
     ), ${numberedFrom('with_last')}, queued as (
       ${queueDeliveries(
         {
           ...ofEvent('m'),
           id: deliveryIds('$10', 'row_number() over (order by m.id)'),
           subscriptionId: '$1',
           companyId: '$2',
           replayOf: 'm.replay_of',
           bulkReplayId: '$11',
           number: 'm.number',
         },
         'numbered m',
       )}
     )
     ${COUNTS}`,
    [
      due.subscriptionId,
      due.companyId,
      due.afterId,
      lowest,
      beyond,
      scanSize(size),
      eventsSentTo(due, due.event ?? undefined),
      due.schemaVersion,
      size,
      newId('dlv'),
      due.id,
      ...values,
    ],
  );
  return stepOf(counts, due, size, true);
}

const COUNTS = `
  select (select count(*)::integer from scanned) as scanned, (select max(id) from scanned) as "lastScanned",
    (select count(*)::integer from to_queue) as queued, (select max(id) from to_queue) as "lastQueued"`;

/** `isComplete`: nothing can follow the scanned rows. */
function stepOf(counts: StepCounts | undefined, due: DueBulkReplay, size: number, isComplete: boolean): Step {
  invariant(counts, 'a count has a row');
  const { scanned, lastScanned, queued, lastQueued } = counts;
  const isFull = queued === size;
  const hasScannedAll = !isFull && scanned < scanSize(size);
  return {
    queued,
    afterId: (isFull ? lastQueued : lastScanned) ?? due.afterId,
    isDone: hasScannedAll && isComplete,
    pauseSeconds: hasScannedAll ? SETTLE_PAUSE_SECONDS : 0,
  };
}

/** Size of a batch: a second's worth of the rate, at least one. */
function stepSize(perMinute: number): number {
  return Math.max(1, Math.floor(perMinute / SECONDS_PER_MINUTE));
}

/** Rows that one step scans, however few of them are to be queued. */
function scanSize(size: number): number {
  return Math.max(SCANNED.atLeast, SCANNED.perQueued * size);
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}
