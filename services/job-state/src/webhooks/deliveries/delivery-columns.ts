import { WAITING_COUNTED } from '@partner/proto-contracts/api/limits';
import type { DELIVERY_STATES } from '@partner/proto-contracts/resources/delivery/delivery';
import { column, columnNames, computed, type RowOf, selectList } from '../../database/columns.js';

export type DeliveryStateName = (typeof DELIVERY_STATES)[number];

/** The columns that move from `deliveries` to `finished_deliveries`, apart from the outcome and its time. */
const KEPT = {
  id: column<string>('id', 'text'),
  subscriptionId: column<string>('subscription_id', 'text'),
  companyId: column<string>('company_id', 'text'),
  eventId: column<string>('event_id', 'text'),
  event: column<string>('event', 'text'),
  resourceType: column<string>('resource_type', 'text'),
  resourceId: column<string>('resource_id', 'text'),
  isTest: column<boolean>('is_test', 'boolean'),
  secretVersion: column<number | null>('secret_version', 'integer'),
  /** The sealed random secret of a test with a wrong signature. */
  wrongSecret: column<Buffer | null>('wrong_secret', 'bytea'),
  testUrl: column<string | null>('test_url', 'text'),
  replayOf: column<string | null>('replay_of', 'text'),
  bulkReplayId: column<string | null>('bulk_replay_id', 'text'),
  createdAt: column<Date>('created_at', 'timestamptz'),
  /** Its number among the events of the subscription, a decimal text. */
  number: column<string | null>('number', 'bigint'),
} as const;

export const DELIVERY = {
  ...KEPT,
  state: column<DeliveryStateName>('state', 'text'),
  attempts: column<number>('attempts', 'integer'),
  /** When it is due; with a lease, when that ends. */
  dueAt: column<Date>('next_attempt_at', 'timestamptz'),
  leaseId: column<string | null>('lease_id', 'text'),
  testHeaders: column<Buffer | null>('test_headers', 'bytea'),
  /** It waits for the deliveries of its subscription about its resource with lower numbers. */
  ordered: column<boolean>('ordered', 'boolean'),
} as const;

/** The unfinished delivery that an ordered one waits for: the last one before it about the same resource. */
export const before = (d: string, columns: string) =>
  `select ${columns} from deliveries b where b.subscription_id = ${d}.subscription_id and b.resource_id = ${d}.resource_id
      and b.ordered and b.number < ${d}.number`;
/** Whether nothing is before a delivery, see {@link before}; always for one that is not ordered. */
export const isNext = (d: string) => `(not ${d}.ordered or not exists (${before(d, '')}))`;

/** The public fields of a delivery. One in flight or held has no next attempt. */
const PUBLIC = {
  id: DELIVERY.id,
  subscriptionId: DELIVERY.subscriptionId,
  eventId: DELIVERY.eventId,
  event: DELIVERY.event,
  state: DELIVERY.state,
  attempts: DELIVERY.attempts,
  nextAttemptAt: computed<Date | null>(
    (d) =>
      `case when ${d}.state in ('pending', 'retry_scheduled') and ${d}.lease_id is null then ${dueAt(d)} end`,
  ),
  createdAt: DELIVERY.createdAt,
  resourceType: DELIVERY.resourceType,
  resourceId: DELIVERY.resourceId,
  workOrderNo: computed<string | null>(
    (d) => `(select j.work_order_no from jobs j where j.id = ${d}.resource_id
      and ${d}.company_id in (j.selling_company_id, j.installer_company_id))`,
  ),
  isTest: DELIVERY.isTest,
  replayOf: DELIVERY.replayOf,
  bulkReplayId: DELIVERY.bulkReplayId,
  wrongSignature: computed<boolean>((d) => `${d}.wrong_secret is not null`),
  testUrl: DELIVERY.testUrl,
  eventNumber: DELIVERY.number,
} as const;

/** The unfinished delivery that must end before this one; null for one that is in flight or not ordered. */
const waitsFor = (d: string) =>
  `case when ${d}.ordered and ${d}.lease_id is null then (${before(d, 'b.id')} order by b.number desc limit 1) end`;
const WAITS_FOR = { waitsFor: computed<string | null>(waitsFor) } as const;
/** The same from `all_deliveries d`. */
const ANY_WAITS_FOR = {
  waitsFor: computed<string | null>(
    (d) => `(select ${waitsFor('w')} from deliveries w where w.id = ${d}.id)`,
  ),
} as const;

const FINISHED_AT = { finishedAt: column<Date | null>('finished_at', 'timestamptz') } as const;

export type DeliveryRow = RowOf<typeof PUBLIC & typeof WAITS_FOR & typeof FINISHED_AT>;

/** Columns of an unfinished {@link DeliveryRow}, from `deliveries d`. */
export const DELIVERY_COLUMNS = `${selectList({ ...PUBLIC, ...WAITS_FOR }, 'd')}, null::timestamptz as "finishedAt"`;
/** Columns of a {@link DeliveryRow}, from `all_deliveries d`. */
export const ANY_DELIVERY_COLUMNS = selectList({ ...PUBLIC, ...ANY_WAITS_FOR, ...FINISHED_AT }, 'd');
export const RETAINED_COLUMNS = columnNames(KEPT);

/** Whether a delivery waits for its first attempt or for a retry, due or not. Each has an index by subscription and due time. */
export const isWaiting = (d: string, state: 'pending' | 'retry_scheduled') =>
  `${d}.state = '${state}' and ${d}.lease_id is null`;
/** Counts unfinished deliveries of the subscription `s` through one index, ordered as it is, up to {@link WAITING_COUNTED}. Tests are none. */
export const waitingCount = (condition: string, order: string) => `(
    select count(*)::integer from (
      select from deliveries d where d.subscription_id = s.id and ${condition} and not d.is_test
      order by ${order} limit ${WAITING_COUNTED}
    ) counted
  )`;
export function dueAt(d: string): string {
  return DELIVERY.dueAt.sql(d);
}
export const setDueAt = (time: string) => `${DELIVERY.dueAt.name} = ${time}`;
/** Whether a waiting delivery is due, or a lease has expired. */
export const isDue = (d: string) => `${dueAt(d)} <= now()`;
export const isInFlight = (d: string) => `${d}.lease_id is not null and ${dueAt(d)} > now()`;
/** Whether the dispatcher received a delivery but did not report it: again with it, or due. */
export const isOverdue = (d: string) => `${d}.overdue_since is not null and ${d}.state <> 'held'
          and (${d}.lease_id is not null or ${dueAt(d)} <= now() + interval '5 seconds')`;
export const leaseFor = (seconds: string) =>
  `lease_id = gen_random_uuid()::text, ${setDueAt(`statement_timestamp() + make_interval(secs => ${seconds})`)}`;
export const MAKE_DUE = setDueAt(`least(${dueAt('d')}, now())`);
