import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import type { Actor } from '../../audit/actor.js';
import type { PreparedStatement } from '../../database/connection-pool.js';
import type { Queryable, Transaction } from '../../database/database.js';
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-resource.js';

export interface SubscriptionOfCompany {
  readonly companyId: string;
  readonly subscriptionId: string;
}

/** Who changes a company's subscriptions, and how long the caller still waits: undefined if without end. */
export interface Caller {
  readonly companyId: string;
  readonly actor: Actor;
  readonly timeoutMs: () => number | undefined;
}

export type OwnersSubscription = SubscriptionOfCompany & Caller;

const GET_SUBSCRIPTION: PreparedStatement = {
  name: 'get-subscription',
  text: `select ${SUBSCRIPTION_COLUMNS} from subscriptions s
     where s.id = $1 and s.company_id = $2 and s.deleted_at is null`,
};

/** Reads one subscription. Another company's, or a deleted one, is `not_found`, like one that does not exist. */
export async function getSubscription(
  database: Queryable,
  { companyId, subscriptionId }: SubscriptionOfCompany,
): Promise<SubscriptionRow> {
  const [row] = await database.query<SubscriptionRow>(GET_SUBSCRIPTION, [subscriptionId, companyId]);
  if (row === undefined) throw notFound('webhook subscription');
  return row;
}

const LIST_SUBSCRIPTIONS: PreparedStatement = {
  name: 'list-subscriptions',
  text: `select ${SUBSCRIPTION_COLUMNS} from subscriptions s where s.company_id = $1 and s.deleted_at is null order by s.id`,
};

/** Lists all subscriptions of a company, oldest first; their number is bounded at creation. */
export function listSubscriptions(database: Queryable, companyId: string): Promise<SubscriptionRow[]> {
  return database.query<SubscriptionRow>(LIST_SUBSCRIPTIONS, [companyId]);
}

/** Lists all subscriptions of a company and locks them, in the order of their ids. */
export function lockSubscriptions(tx: Transaction, companyId: string): Promise<SubscriptionRow[]> {
  return tx.query<SubscriptionRow>(`${LIST_SUBSCRIPTIONS.text} for no key update of s`, [companyId]);
}

/** Reads one subscription as {@link getSubscription} does and locks it, which serializes its changes. */
export async function lockSubscription(
  tx: Transaction,
  { companyId, subscriptionId }: SubscriptionOfCompany,
): Promise<SubscriptionRow> {
  const [row] = await tx.query<SubscriptionRow>(`${GET_SUBSCRIPTION.text} for no key update of s`, [
    subscriptionId,
    companyId,
  ]);
  if (row === undefined) throw notFound('webhook subscription');
  return row;
}

/** Fails with `stale_version` for a subscription that was changed at another time than expected; undefined: any time. */
export function refuseStale(
  { updatedAt }: Pick<SubscriptionRow, 'updatedAt'>,
  expected: Date | undefined,
): void {
  if (expected === undefined || expected.getTime() === updatedAt.getTime()) return;
  const [changed, read] = [updatedAt, expected].map((at) => at.toISOString());
  throw new ServiceError(
    'stale_version',
    `expected the subscription as of ${read}, but it was changed at ${changed}; read it again`,
  );
}
