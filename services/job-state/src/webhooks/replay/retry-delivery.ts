import type { Logger } from '@partner/kernel/telemetry/logger';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import type { Actor } from '../../audit/actor.js';
import { recordAudit } from '../../audit/record-audit.js';
import type { Database, Transaction, TransactionLimits } from '../../database/database.js';
import { type DeliveryOfCompany, IS_DELIVERY_OF_COMPANY } from '../attempts/get-delivery.js';
import {
  DELIVERY_COLUMNS,
  type DeliveryRow,
  type DeliveryStateName,
  isWaiting,
  MAKE_DUE,
} from '../deliveries/delivery-columns.js';

/**
 * Makes the next scheduled attempt of a delivery due now.
 *
 * The attempt counts as the scheduled one, so the backoff after it and the number of attempts left stay the same. It waits for a
 * slot of its endpoint as any due attempt does. Fails with `not_found`, or with `delivery_not_waiting` unless the delivery waits
 * for a retry.
 */
export async function retryDelivery(
  deps: { readonly database: Pick<Database, 'transaction'>; readonly logger: Pick<Logger, 'info'> },
  request: DeliveryOfCompany & {
    readonly membershipId?: string | undefined;
    readonly actor?: Actor | undefined;
  },
  limits: TransactionLimits = {},
): Promise<DeliveryRow> {
  const { companyId, deliveryId, membershipId, actor } = request;
  const retried = await deps.database.transaction(
    async (tx) => {
      const [row] = await tx.query<DeliveryRow>(
        `with d as (
           update deliveries as d set ${MAKE_DUE}
           where ${IS_DELIVERY_OF_COMPANY} and ${isWaiting('d', 'retry_scheduled')}
           returning *
         )
         select ${DELIVERY_COLUMNS} from d`,
        [companyId, deliveryId],
      );
      if (row === undefined) throw await refusal(tx, request);
      const { id, subscriptionId, eventId } = row;
      await recordAudit(tx, {
        companyId,
        actor,
        action: 'delivery.retried',
        subject: { type: 'delivery', id },
        details: { subscriptionId, eventId },
      });
      tx.wakeAfterCommit('deliveries', [subscriptionId]);
      tx.announceAfterCommit(companyId, [subscriptionId]);
      return row;
    },
    { ...limits, companyId },
  );
  const { id, subscriptionId, eventId } = retried;
  deps.logger.info({ deliveryId: id, subscriptionId, eventId, companyId, membershipId }, 'delivery.retried');
  return retried;
}

async function refusal(tx: Transaction, { companyId, deliveryId }: DeliveryOfCompany): Promise<ServiceError> {
  const [found] = await tx.query<{ state: DeliveryStateName; isInFlight: boolean }>(
    `select d.state, d.lease_id is not null as "isInFlight" from all_deliveries d where ${IS_DELIVERY_OF_COMPANY}`,
    [companyId, deliveryId],
  );
  if (found === undefined) return notFound('webhook delivery');
  const state = found.isInFlight ? 'in flight' : found.state;
  return new ServiceError(
    'delivery_not_waiting',
    `the delivery is ${state}; only one that waits for a retry can be retried now`,
  );
}
