import { MANIFEST_MAX_DAYS, type Manifest } from '@partner/proto-contracts/resources/manifest/manifest';
import {
  getInboundManifestOperation,
  getInstallerManifestOperation,
} from '@partner/proto-contracts/resources/manifest/operations';
import { formatDateTime, formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';
import { type Implementation, implement } from '@partner/kernel/amqp/implement';
import { invalidArgument } from '@partner/kernel/process/validation';
import { idsCreatedWithin } from '../../database/created-within.js';
import { type Database, type Queryable, queryWithin } from '../../database/database.js';
import type { DeliveryStateName } from '../deliveries/delivery-columns.js';
import { getSubscription, type SubscriptionOfCompany } from '../subscriptions/get-subscription.js';

const HOUR_MS = 3_600_000;

/** A page of what was queued to a subscription from `from` on, before `to`. */
interface ManifestQuery extends SubscriptionOfCompany {
  readonly from: Date;
  readonly to: Date;
  /** Only deliveries after this one; undefined: from the first. */
  readonly afterDeliveryId: string | undefined;
  readonly limit: number;
}

interface ManifestRow {
  readonly deliveryId: string;
  /** A decimal text. */
  readonly number: string | null;
  readonly eventId: string;
  readonly event: string;
  readonly outcome: DeliveryStateName;
  readonly queuedAt: Date;
  readonly finishedAt: Date | null;
  /** False: a replay or a test, which is no entry. */
  readonly isEntry: boolean;
}

/**
 * Reads a page of a subscription's manifest: the first delivery of each event, in ascending id (decision DELIVERY-25).
 *
 * It scans at most `limit` deliveries. In the sandbox a fault script can queue an event twice; it is one entry. Fails with `not_found` for
 * a subscription that the company does not have.
 */
async function readManifest(database: Queryable, query: ManifestQuery): Promise<Manifest> {
  const { subscriptionId, from, to, afterDeliveryId, limit } = query;
  await getSubscription(database, query);
  const { lowest, beyond } = idsCreatedWithin('dlv', { from, to });
  const rows = await database.query<ManifestRow>(
    `select d.id as "deliveryId", d.number, d.event_id as "eventId", d.event, newest.state as outcome,
       d.created_at as "queuedAt", newest.finished_at as "finishedAt",
       d.replay_of is null and not d.is_test as "isEntry"
     from (
       select d.* from all_deliveries d
       where d.subscription_id = $1 and d.id >= $2 and d.id < $3 and d.id > $4 and d.created_at >= $5 and d.created_at < $6
       order by d.id limit $7
     ) d
     cross join lateral (
       select n.state, n.finished_at from all_deliveries n where n.event_id = d.event_id and n.subscription_id = $1 and n.id >= d.id
       order by n.id desc limit 1
     ) newest
     order by d.id`,
    [subscriptionId, lowest, beyond, afterDeliveryId ?? '', from, to, limit],
  );
  const entries = new Map(
    rows.flatMap(({ isEntry, number, eventId, event, outcome, queuedAt, finishedAt }) => {
      const entry = {
        ...{ number: number === null ? null : Number(number), eventId, event, outcome },
        ...{ queuedAt: formatDateTime(queuedAt), finishedAt: formatOptionalDateTime(finishedAt) },
      };
      return isEntry ? [[eventId, entry] as const] : [];
    }),
  );
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { subscriptionId, entries: [...entries.values()], nextCursor: last?.deliveryId ?? null };
}

export function manifestOperations(deps: {
  readonly database: Pick<Database, 'query'>;
  readonly clock: () => Date;
}): readonly Implementation[] {
  return [getInboundManifestOperation, getInstallerManifestOperation].map((operation) =>
    implement(operation, async ({ companyId, params, query, after, timeoutMs }) => {
      const page = await readManifest(queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() }), {
        ...spanOf(query, deps.clock()),
        companyId,
        subscriptionId: params.id,
        afterDeliveryId: after,
        limit: query.limit,
      });
      return { json: JSON.stringify(page) };
    }),
  );
}

function spanOf(query: { readonly from?: string | undefined; readonly to?: string | undefined }, now: Date) {
  const to = query.to === undefined ? now : new Date(query.to);
  const from = query.from === undefined ? new Date(to.getTime() - HOUR_MS) : new Date(query.from);
  const path = query.to === undefined ? 'from' : 'to';
  if (to <= from)
    throw invalidArgument([{ path, message: path === 'to' ? 'must be after from' : 'must be before to' }]);
  if (to.getTime() - from.getTime() > MANIFEST_MAX_DAYS * 24 * HOUR_MS) {
    const message = `must be at most ${MANIFEST_MAX_DAYS} days ${path === 'to' ? 'after from' : 'before to'}`;
    throw invalidArgument([{ path, message }]);
  }
  return { from, to };
}
