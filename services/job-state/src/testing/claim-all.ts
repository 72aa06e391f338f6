import type { LeasedDelivery } from '../webhooks/deliveries/leased-delivery.js';
import type { Queryable } from '../database/database.js';
import { claimDue, type ClaimLimits, findWaiting } from '../webhooks/schedule/claim-due.js';

const MANY = 10_000;
export const CLAIM_LIMITS = { batchSize: 100, leaseSeconds: 30, inFlight: 1_000, subscriptionCap: 100 };

export async function claimAll(
  database: Queryable,
  limits: Partial<ClaimLimits> = {},
): Promise<readonly LeasedDelivery[]> {
  const withFirst = await findWaiting(database, { state: 'pending', afterId: '', limit: MANY });
  const withRetries = await findWaiting(database, { state: 'retry_scheduled', afterId: '', limit: MANY });
  const subscriptionIds = [...new Set([...withFirst, ...withRetries])];
  return claimDue(database, { ...CLAIM_LIMITS, ...limits, subscriptionIds });
}
