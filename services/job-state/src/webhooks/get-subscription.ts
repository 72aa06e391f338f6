import { notFound } from '@partner/runtime/service-error';
import type { Queryable } from '../database/database.js';
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-message.js';

/** One subscription of one company. */
export interface SubscriptionOfCompany {
  readonly companyId: string;
  readonly subscriptionId: string;
}

/** Reads one subscription; another company's is `not_found` like one that does not exist. */
export async function getSubscription(
  database: Queryable,
  { companyId, subscriptionId }: SubscriptionOfCompany,
): Promise<SubscriptionRow> {
  const [row] = await database.query<SubscriptionRow>(
    `select ${SUBSCRIPTION_COLUMNS} from subscriptions s where s.id = $1 and s.company_id = $2`,
    [subscriptionId, companyId],
  );
  if (row === undefined) throw notFound('webhook subscription');
  return row;
}
