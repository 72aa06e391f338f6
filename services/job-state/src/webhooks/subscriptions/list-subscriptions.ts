import type { PreparedStatement } from '../../database/connection-pool.js';
import type { Queryable } from '../../database/database.js';
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-resource.js';

const LIST_SUBSCRIPTIONS: PreparedStatement = {
  name: 'list-subscriptions',
  text: `select ${SUBSCRIPTION_COLUMNS} from subscriptions s where s.company_id = $1 and s.deleted_at is null order by s.id`,
};

/** Lists all subscriptions of a company, oldest first; their number is bounded at creation. */
export function listSubscriptions(database: Queryable, companyId: string): Promise<SubscriptionRow[]> {
  return database.query<SubscriptionRow>(LIST_SUBSCRIPTIONS, [companyId]);
}
