import { newId } from '@partner/runtime/ids';
import { notFound } from '@partner/runtime/service-error';
import { injectTrace } from '@partner/runtime/telemetry/tracing';
import type { Database } from '../database/database.js';
import { DELIVERY_COLUMNS, type DeliveryRow } from './delivery-message.js';
import type { SubscriptionOfCompany } from './get-subscription.js';
import { renderEnvelope } from './render-envelope.js';

/**
 * Queues an `install.test` event for one subscription alone, paused or not. Once it is delivered to the subscription's
 * present URL, that URL is verified. Fails with `not_found` for a subscription that the company does not have.
 */
export async function sendTestDelivery(
  deps: { readonly database: Pick<Database, 'transaction'>; readonly clock: () => Date },
  { companyId, subscriptionId }: SubscriptionOfCompany,
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
    const [row] = await tx.query<DeliveryRow>(
      `with e as (
         insert into events
           (id, company_id, name, occurred_at, resource_type, resource_id, resource_version, body, trace_parent, created_at)
         select $3, s.company_id, 'install.test', $4, $5, s.id, $6, $7, $8, $4
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
      ],
    );
    tx.wakeAfterCommit('deliveries');
    return row;
  });
  if (delivery === undefined) throw notFound('webhook subscription');
  return delivery;
}
