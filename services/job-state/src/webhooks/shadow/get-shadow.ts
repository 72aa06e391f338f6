import type { Queryable } from '../../database/database.js';
import { getSubscription, type SubscriptionOfCompany } from '../subscriptions/get-subscription.js';
import { SHADOW_COLUMNS, type ShadowRow } from './shadow-resource.js';

/**
 * Reads the shadow of a subscription; undefined without one. Fails with `not_found` for a subscription that the company does not
 * have.
 */
export async function getShadow(
  database: Queryable,
  subscription: SubscriptionOfCompany,
): Promise<ShadowRow | undefined> {
  await getSubscription(database, subscription);
  const [row] = await database.query<ShadowRow>(
    `select ${SHADOW_COLUMNS} from webhook_shadows w where w.subscription_id = $1`,
    [subscription.subscriptionId],
  );
  return row;
}
