import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { EventFeedService } from '@partner/proto-contracts/gen/partner/webhooks/v1/event_feed_service_pb';
import type { Manifest } from '@partner/proto-contracts/resources/manifest/manifest';
import { idsCreatedWithin } from '../../database/created-within.js';
import { type Database, type Queryable, queryWithin } from '../../database/database.js';
import { callerLimits } from '../../rpc/caller-limits.js';
import { pageSize } from '../../rpc/page-size.js';
import { required } from '../../rpc/required.js';
import type { DeliveryStateName } from '../schedule/delivery-resource.js';
import {
  getSubscription,
  type SubscriptionOfCompany,
  subscriptionOf,
} from '../subscriptions/get-subscription.js';

const PAGE_SIZE = { default: 1_000, max: 1_000 } as const;

/** A page of what was queued to a subscription from `from` on, before `to`. */
interface ManifestQuery extends SubscriptionOfCompany {
  readonly from: Date;
  readonly to: Date;
  /** Only deliveries after this one; undefined: from the first. */
  readonly afterDeliveryId: string | undefined;
  /** At least 1. */
  readonly limit: number;
}

interface ManifestRow {
  readonly deliveryId: string;
  /** A decimal text. */
  readonly number: string | null;
  readonly eventId: string;
  readonly event: string;
  readonly outcome: DeliveryStateName;
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
       d.replay_of is null and not d.is_test as "isEntry"
     from (
       select d.* from all_deliveries d
       where d.subscription_id = $1 and d.id >= $2 and d.id < $3 and d.id > $4 and d.created_at >= $5 and d.created_at < $6
       order by d.id limit $7
     ) d
     cross join lateral (
       select n.state from all_deliveries n where n.event_id = d.event_id and n.subscription_id = $1 and n.id >= d.id
       order by n.id desc limit 1
     ) newest
     order by d.id`,
    [subscriptionId, lowest, beyond, afterDeliveryId ?? '', from, to, limit],
  );
  const entries = new Map(
    rows.flatMap(({ isEntry, number, eventId, event, outcome }) =>
      isEntry
        ? [[eventId, { number: number === null ? null : Number(number), eventId, event, outcome }] as const]
        : [],
    ),
  );
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { subscriptionId, entries: [...entries.values()], nextCursor: last?.deliveryId ?? null };
}

/** Serves the RPC with which the API keys of a company read the manifests of its subscriptions. */
export function createManifestRpc(deps: {
  readonly database: Pick<Database, 'query'>;
}): Pick<ServiceImpl<typeof EventFeedService>, 'getManifest'> {
  return {
    async getManifest(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const page = await readManifest(database, {
        ...subscriptionOf(request),
        from: timestampDate(required(request.from, 'from')),
        to: timestampDate(required(request.to, 'to')),
        afterDeliveryId: request.afterDeliveryId,
        limit: pageSize(request.limit, PAGE_SIZE),
      });
      return { resourceJson: JSON.stringify(page) };
    },
  };
}
