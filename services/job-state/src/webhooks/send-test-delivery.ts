import { newId } from '@partner/runtime/ids';
import { invariant } from '@partner/runtime/invariant';
import { notFound, ServiceError } from '@partner/runtime/service-error';
import { currentRequestId } from '@partner/runtime/request-context';
import { injectTrace } from '@partner/runtime/telemetry/tracing';
import type { Database, Transaction, TransactionLimits } from '../database/database.js';
import { DELIVERY_COLUMNS, type DeliveryRow } from './delivery-message.js';
import type { SubscriptionOfCompany } from './get-subscription.js';
import { renderEnvelope } from './render-envelope.js';

/** Test deliveries of one subscription within {@link TEST_WINDOW_MS}, at most. */
export const MAX_TEST_DELIVERIES = 10;

const TEST_WINDOW_MS = 60_000;

/**
 * Queues an `install.test` event for one subscription alone, paused or not. Once it is delivered to the subscription's
 * present URL, that URL is verified. Fails with `not_found` for a subscription that the company does not have, and with
 * `rate_limited` after 10 within 60 s.
 *
 * Lock: the subscription, so that tests sent at the same time are counted one after another.
 */
export async function sendTestDelivery(
  deps: { readonly database: Pick<Database, 'transaction'>; readonly clock: () => Date },
  { companyId, subscriptionId }: SubscriptionOfCompany,
  limits: TransactionLimits = {},
): Promise<DeliveryRow> {
  const now = deps.clock();
  const eventId = newId('evt');
  const resource = { type: 'webhook_subscription', id: subscriptionId, version: 1 };
  const body = renderEnvelope({
    eventId,
    event: 'install.test',
    occurredAt: now,
    resource,
    data: { subscriptionId, message: 'This is a test delivery. It is safe to ignore.' },
  });
  const delivery = await deps.database.transaction(async (tx) => {
    await claimTest(tx, { companyId, subscriptionId }, now);
    const [row] = await tx.query<DeliveryRow>(
      `with e as (
         insert into events
           (id, company_id, name, occurred_at, resource_type, resource_id, resource_version, body, trace_parent, created_at,
            request_id)
         select $3, s.company_id, 'install.test', $4, $5, s.id, $6, $7, $8, $4, $10
         from subscriptions s where s.id = $1 and s.company_id = $2
         returning *
       ), d as (
         insert into deliveries (id, subscription_id, company_id, event_id, is_test, created_at)
         select $9, e.resource_id, e.company_id, e.id, true, e.created_at from e
         returning *
       )
       select ${DELIVERY_COLUMNS} from d join e on e.id = d.event_id`,
      [
        subscriptionId,
        companyId,
        eventId,
        now,
        resource.type,
        resource.version,
        body,
        injectTrace()['traceparent'] ?? null,
        newId('dlv'),
        currentRequestId() ?? null,
      ],
    );
    tx.wakeAfterCommit('deliveries');
    invariant(row, 'an insert gives its row');
    return row;
  }, limits);
  return delivery;
}

async function claimTest(
  tx: Transaction,
  { companyId, subscriptionId }: SubscriptionOfCompany,
  now: Date,
): Promise<void> {
  const [subscription] = await tx.query(
    'select 1 from subscriptions where id = $1 and company_id = $2 for no key update',
    [subscriptionId, companyId],
  );
  if (subscription === undefined) throw notFound('webhook subscription');
  const [oldestThatCounts] = await tx.query<{ createdAt: Date }>(
    `select created_at as "createdAt" from deliveries
     where subscription_id = $1 and is_test and created_at > $2
     order by created_at desc offset $3 limit 1`,
    [subscriptionId, new Date(now.getTime() - TEST_WINDOW_MS), MAX_TEST_DELIVERIES - 1],
  );
  if (oldestThatCounts === undefined) return;
  const freeInMs = oldestThatCounts.createdAt.getTime() + TEST_WINDOW_MS - now.getTime();
  throw new ServiceError(
    'rate_limited',
    `at most ${MAX_TEST_DELIVERIES} test deliveries can be sent to a subscription within ${TEST_WINDOW_MS / 1_000} s`,
    { retryAfterSeconds: Math.max(1, Math.ceil(freeInMs / 1_000)) },
  );
}
