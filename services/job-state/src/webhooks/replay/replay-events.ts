import { sendLiveUpdate } from '../../live-updates/send-live-update.js';
import {
  type eventReplayIn,
  type EventReplayPreview,
  type EventReplays,
  eventReplays,
} from '@partner/proto-contracts/resources/event-replay/event-replay';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { invariant } from '@partner/kernel/process/invariant';
import { type IdempotencyMark, notFound, ServiceError } from '@partner/kernel/process/service-error';
import { invalidArgument } from '@partner/kernel/process/validation';
import type { z } from 'zod';
import { recordAudit } from '../../audit/record-audit.js';
import { idsCreatedWithin } from '../../database/created-within.js';
import type { Queryable, Transaction } from '../../database/database.js';
import { type IdempotencyBinding, runIdempotent } from '../../idempotency/run-idempotent.js';
import { lastEventNumber } from '../../database/event-numbers.js';
import { eventsSentTo } from '../events/events-sent-to.js';
import { CHANGED_IN_BODY, wantsThis } from '../events/wants-change.js';
import type { ChangeDeps } from '../subscriptions/change-subscription.js';
import type { Caller } from '../subscriptions/get-subscription.js';
import type { SubscriptionRow } from '../subscriptions/subscription-resource.js';
import { MAX_DELIVERIES_COUNTED } from './bulk-replay.js';
import {
  type BulkReplayRow,
  type DueBulkReplay,
  insertBulkReplays,
  refuseSecond,
  shownBulkReplay,
} from './bulk-replay-resource.js';
import { type Condition, queueEvents, type Step } from './queue-events.js';

/** Events of a company, by number, by time or by id, as the operation has parsed it. */
type EventSelection = Pick<
  z.output<typeof eventReplayIn>,
  'fromSequence' | 'toSequence' | 'from' | 'to' | 'eventIds' | 'event'
>;

/** A selection whose events were recorded from `from` to `to`. */
type EventSpan = Pick<DueBulkReplay, 'firstSequence' | 'lastSequence' | 'eventIds' | 'from' | 'to'>;

/** The condition on `events e` of a span. */
function isWithin({ firstSequence, lastSequence, eventIds, from, to }: EventSpan): Condition {
  if (eventIds !== null) return (add) => `e.id = any(${add(eventIds)}::text[])`;
  return firstSequence === null
    ? (add) => `e.created_at >= ${add(from)} and e.created_at < ${add(to)}`
    : (add) => `e.sequence between ${add(firstSequence)} and ${add(lastSequence)}`;
}

interface ReplaySelection {
  readonly companyId: string;
  /** Undefined: each active subscription that receives at least one of the events. */
  readonly subscriptionId: string | undefined;
  readonly selection: EventSelection;
}

type EventReplayRequest = ReplaySelection & Caller & { readonly perMinute: number };

/**
 * Starts a bulk replay of the kind `events` for one subscription, or for each that receives some of the events, once per idempotency
 * key; `runBulkReplays` does the work.
 *
 * The events are those recorded before it. It counts the oldest `maxCounted` of them. Fails with `invalid_argument` for a
 * number that no event has yet, `not_found` for a subscription or an event that the company does not have, `event_expired` if none of the events is kept,
 * and `replay_in_progress` while another one of a subscription runs. All replays are started, or none.
 *
 * Locks: the key, then the subscriptions in ascending id, after the count, so that their changes do not wait for it.
 */
export async function replayEvents(
  deps: ChangeDeps,
  request: EventReplayRequest,
  binding: IdempotencyBinding | undefined,
  maxCounted = MAX_DELIVERIES_COUNTED,
): Promise<{ readonly result: EventReplays; readonly idempotency: IdempotencyMark | undefined }> {
  const { companyId, timeoutMs } = request;
  const settled = await runIdempotent(deps, {
    ...{ companyId, binding, timeoutMs: timeoutMs() },
    result: eventReplays,
    load: () => Promise.resolve(),
    // It counts a span of events.
    plansOnce: false,
    work: async (tx) => {
      const replays = await start(tx, request, deps.clock(), maxCounted);
      return { kind: 'done', result: { replays: replays.map(shownBulkReplay) } };
    },
  });
  if (settled.idempotency?.replayed !== true) {
    for (const { id: replayId, subscriptionId, total } of settled.result.replays) {
      deps.logger.info({ replayId, subscriptionId, companyId, total }, 'bulk_replay.created');
    }
  }
  return settled;
}

/** Counts what {@link replayEvents} would send. Fails as it does, except with `replay_in_progress`. Locks nothing. */
export async function previewEventReplay(
  database: Queryable,
  request: ReplaySelection,
  now: Date,
): Promise<EventReplayPreview> {
  const { span, totals, atLeast } = await planReplay(database, request, now, MAX_DELIVERIES_COUNTED);
  return {
    webhooks: [...totals].map(([subscriptionId, events]) => ({ subscriptionId, events })),
    atLeast,
    from: formatDateTime(span.from),
    to: formatDateTime(span.to),
  };
}

/** The span of a selection, and how many of its events each subscription receives: the named one, or those with at least one. */
async function planReplay(
  database: Queryable,
  { companyId, subscriptionId, selection }: ReplaySelection,
  now: Date,
  maxCounted: number,
) {
  const subscriptions = await database.query<Receiver>(
    `select s.id, s.events, s.fields, s.schema_version as "schemaVersion", c.class as "companyClass"
     from subscriptions s join companies c on c.id = s.company_id
     where s.company_id = $1 and s.deleted_at is null and case when $2::text is null then s.state = 'active' else s.id = $2 end
     order by s.id`,
    [companyId, subscriptionId ?? null],
  );
  if (subscriptionId !== undefined && subscriptions.length === 0) throw notFound('webhook subscription');
  const span = await resolveSpan(database, companyId, selection, now);
  const filtered = subscriptions.filter(({ fields }) => fields !== null);
  const { kinds, atLeast } = await countKinds(database, {
    ...{ companyId, span, maxCounted },
    filteredNames: filtered.flatMap((receiver) => eventsSentTo(receiver, selection.event)),
  });
  const totals = new Map(
    subscriptions
      .map((receiver) => [receiver.id, totalOf(kinds, receiver, selection.event)] as const)
      .filter(([id, total]) => total > 0 || id === subscriptionId),
  );
  return { span, totals, atLeast };
}

async function start(
  tx: Transaction,
  request: EventReplayRequest,
  now: Date,
  maxCounted: number,
): Promise<readonly BulkReplayRow[]> {
  const { companyId, actor, selection, perMinute } = request;
  const { fromSequence, toSequence, eventIds, event = null } = selection;
  const { span, totals, atLeast } = await planReplay(tx, request, now, maxCounted);
  const locked = await tx.query<{ id: string }>(
    `select id from subscriptions where id = any($1::text[]) and deleted_at is null order by id for no key update`,
    [[...totals.keys()]],
  );
  const replay = { companyId, kind: 'events', event, ...span, perMinute, atLeast } as const;
  const rows = await insertBulkReplays(
    tx,
    locked.map(({ id }) => ({ ...replay, subscriptionId: id, total: totals.get(id) ?? 0 })),
  );
  if (rows.length < locked.length) {
    await refuseSecond(
      tx,
      'events',
      locked.map(({ id }) => id),
    );
  }
  const selected = { fromSequence, toSequence, eventIds: eventIds?.length };
  for (const { id, subscriptionId, from, to, total } of rows) {
    const details = { subscriptionId, event, ...selected, from, to, perMinute, total };
    const subject = { type: 'bulk_replay', id } as const;
    await recordAudit(tx, { companyId, actor, action: 'bulk_replay.started', subject, details });
    sendLiveUpdate(tx, companyId, [subscriptionId]);
  }
  return rows;
}

/** A subscription to send to, as far as it decides which events it receives. */
type Receiver = Pick<DueBulkReplay, 'id' | 'events' | 'schemaVersion' | 'companyClass'> &
  Pick<SubscriptionRow, 'fields'>;

/** Events of the span that are alike for every subscription, except for the webhook that they are `about`. */
interface EventKind {
  readonly name: string;
  readonly schemaVersion: number;
  readonly about: string | null;
  /** Null also if no subscription with fields gets events of the name. */
  readonly changed: readonly string[] | null;
  readonly count: number;
}

function totalOf(kinds: readonly EventKind[], receiver: Receiver, event: string | undefined): number {
  const names: readonly string[] = eventsSentTo(receiver, event);
  return kinds
    .filter(({ name, schemaVersion, about, changed }) => {
      const isSent = names.includes(name) && wantsThis(receiver.fields, name, changed);
      return isSent && schemaVersion === receiver.schemaVersion && about !== receiver.id;
    })
    .reduce((total, { count }) => total + count, 0);
}

async function countKinds(
  database: Queryable,
  of: {
    readonly companyId: string;
    readonly span: EventSpan;
    readonly maxCounted: number;
    readonly filteredNames: readonly string[];
  },
) {
  const { companyId, span, maxCounted, filteredNames } = of;
  const { lowest, beyond } = idsCreatedWithin('evt', span);
  const values: unknown[] = [companyId, lowest, beyond, maxCounted, filteredNames];
  const condition = isWithin(span)((value) => `$${values.push(value)}`);
  const kinds = await database.query<EventKind>(
    `select name, schema_version as "schemaVersion", case resource_type when 'webhook_subscription' then resource_id end as about,
       changed, count(*)::integer as count
     from (
       select e.name, e.schema_version, e.resource_type, e.resource_id, 
         case when e.name = any($5::text[]) then ${CHANGED_IN_BODY} end as changed
       from events e
       where e.company_id = $1 and e.id >= $2 and e.id < $3 and e.test_subscription_id is null and ${condition}
       order by e.id limit $4
     ) counted
     group by 1, 2, 3, 4`,
    values,
  );
  return { kinds, atLeast: kinds.reduce((total, { count }) => total + count, 0) >= maxCounted };
}

/** Finds when the selected events were recorded. Only those recorded before `now` are part of it. */
async function resolveSpan(
  database: Queryable,
  companyId: string,
  { fromSequence, toSequence, from, to, eventIds }: EventSelection,
  now: Date,
): Promise<EventSpan> {
  const selected = { firstSequence: null, lastSequence: null, eventIds: null };
  if (from !== undefined && to !== undefined) {
    const begin = new Date(from);
    const end = Math.max(Math.min(new Date(to).getTime(), now.getTime()), begin.getTime());
    return { ...selected, from: begin, to: new Date(end) };
  }
  if (eventIds !== undefined) {
    const found = await database.query<{ id: string; recordedAt: Date }>(
      `select id, created_at as "recordedAt" from events
       where company_id = $1 and id = any($2::text[]) and test_subscription_id is null order by created_at`,
      [companyId, eventIds],
    );
    const known = new Set(found.map(({ id }) => id));
    const missing = eventIds.filter((id) => !known.has(id));
    if (missing.length > 0) throw notFound(`event ${missing[0]}`);
    const [first, last] = [found[0]?.recordedAt, found.at(-1)?.recordedAt];
    invariant(first, 'a selection by id has an event');
    invariant(last, 'a selection by id has an event');
    return { ...selected, eventIds: [...known], from: first, to: last };
  }
  const [head] = await database.query<{ last: string }>(`select ${lastEventNumber('$1')} as last`, [
    companyId,
  ]);
  const newest = BigInt(head?.last ?? 0);
  if (fromSequence === undefined || toSequence === undefined || BigInt(fromSequence) > newest) {
    const message = `must be at most ${newest}, the sequence of the newest event`;
    throw invalidArgument([{ path: 'fromSequence', message }]);
  }
  const [firstSequence, lastSequence] = [
    String(fromSequence),
    String(BigInt(toSequence) < newest ? toSequence : newest),
  ];
  const [kept] = await database.query<{ first: Date | null; last: Date | null }>(
    `select min(created_at) as first, max(created_at) as last from events
     where company_id = $1 and sequence > 0 and sequence between $2 and $3`,
    [companyId, firstSequence, lastSequence],
  );
  if (kept === undefined || kept.first === null || kept.last === null) {
    throw new ServiceError(
      'event_expired',
      'none of these events is kept any longer; there is nothing to replay',
    );
  }
  return { ...selected, firstSequence, lastSequence, from: kept.first, to: kept.last };
}

/** Queues the next events of a replay of events. Those of a transaction in flight are not part of it: their own statement queues them. */
export function stepEvents(tx: Transaction, due: DueBulkReplay): Promise<Step> {
  const { lowest, beyond } = idsCreatedWithin('evt', due);
  return queueEvents(tx, due, {
    ids: [lowest, beyond],
    names: eventsSentTo(due, due.event ?? undefined),
    lowestDeliveryId: idsCreatedWithin('dlv', due).lowest,
    isScanned: isWithin(due),
    isQueued: () => 'true',
    isComplete: true,
  });
}
