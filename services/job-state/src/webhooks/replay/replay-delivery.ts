import { newId } from '@partner/kernel/process/ids';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import type { Actor } from '../../audit/actor.js';
import { recordAudit } from '../../audit/record-audit.js';
import type { Database, Transaction, TransactionLimits } from '../../database/database.js';
import { lockSubscription } from '../subscriptions/get-subscription.js';
import {
  DELIVERY_COLUMNS,
  type DeliveryRow,
  type DeliveryStateName,
} from '../deliveries/delivery-columns.js';
import { ofEvent, queueDeliveries } from '../deliveries/queue-delivery.js';
import { type DeliveryOfCompany, IS_DELIVERY_OF_COMPANY } from '../attempts/get-delivery.js';

interface ReplayedDelivery {
  readonly id: string;
  readonly subscriptionId: string;
  readonly eventId: string;
  readonly state: DeliveryStateName;
  readonly isTest: boolean;
  readonly number: string | null;
}

/**
 * Queues a new delivery of the event of a delivered or dead-lettered one.
 *
 * The replay has its own series of attempts and the same body. While its subscription is paused it is held. Fails with
 * - `not_found` for a delivery that the company does not have, or whose subscription was deleted;
 * - `delivery_not_replayable` for a test, and for one that is neither delivered nor dead-lettered;
 * - `replay_in_progress` while the event has an unfinished delivery to the subscription, so that two requests queue one;
 * - `event_expired` if the event has passed its retention.
 *
 * Lock: the subscription, which serializes concurrent replays.
 */
export async function replayDelivery(
  deps: { readonly database: Pick<Database, 'transaction'>; readonly logger: Pick<Logger, 'info'> },
  request: DeliveryOfCompany & {
    readonly membershipId?: string | undefined;
    readonly actor?: Actor | undefined;
  },
  limits: TransactionLimits = {},
): Promise<DeliveryRow> {
  const { companyId, membershipId, actor } = request;
  const replay = await deps.database.transaction(
    async (tx) => {
      const replayed = await findDelivery(tx, request);
      const { state } = await lockSubscription(tx, { companyId, subscriptionId: replayed.subscriptionId });
      refuseUnfinished(replayed);
      await refuseSecondReplay(tx, replayed);
      const [row] = await tx.query<DeliveryRow>(
        `with d as (
           ${queueDeliveries(
             {
               ...ofEvent('e'),
               ...{ id: '$1', subscriptionId: '$2', replayOf: '$3', state: '$4', number: '$6' },
             },
             'events e where e.id = $5',
           )}
           returning *
         )
         select ${DELIVERY_COLUMNS} from d`,
        [
          newId('dlv'),
          replayed.subscriptionId,
          replayed.id,
          state === 'active' ? 'pending' : 'held',
          replayed.eventId,
          replayed.number,
        ],
      );
      if (row === undefined) {
        throw new ServiceError('event_expired', 'the event is no longer kept; there is nothing to replay');
      }
      const { id: replayId, subscriptionId, eventId } = row;
      await recordAudit(tx, {
        companyId,
        actor,
        action: 'delivery.replayed',
        subject: { type: 'delivery', id: replayed.id },
        details: { replayId, subscriptionId, eventId },
      });
      tx.wakeAfterCommit('deliveries', [replayed.subscriptionId]);
      tx.announceAfterCommit(companyId, [replayed.subscriptionId]);
      return row;
    },
    { ...limits, companyId },
  );
  const { id: deliveryId, replayOf, subscriptionId, eventId } = replay;
  deps.logger.info(
    { deliveryId, replayOf, subscriptionId, eventId, companyId, membershipId },
    'delivery.replayed',
  );
  return replay;
}

async function findDelivery(
  tx: Transaction,
  { companyId, deliveryId }: DeliveryOfCompany,
): Promise<ReplayedDelivery> {
  const [found] = await tx.query<ReplayedDelivery>(
    `select d.id, d.subscription_id as "subscriptionId", d.event_id as "eventId", d.state, d.is_test as "isTest", d.number
     from all_deliveries d
     where ${IS_DELIVERY_OF_COMPANY}`,
    [companyId, deliveryId],
  );
  if (found === undefined) throw notFound('webhook delivery');
  return found;
}

function refuseUnfinished({ state, isTest }: ReplayedDelivery): void {
  if (isTest) {
    throw new ServiceError(
      'delivery_not_replayable',
      'a test delivery cannot be replayed; send a new test instead',
    );
  }
  if (state === 'delivered' || state === 'dead_lettered') return;
  throw new ServiceError(
    'delivery_not_replayable',
    `the delivery is ${state}; only one that is delivered or dead_lettered can be replayed`,
  );
}

async function refuseSecondReplay(tx: Transaction, { subscriptionId, eventId }: ReplayedDelivery) {
  const [unfinished] = await tx.query<{ id: string }>(
    'select id from deliveries where event_id = $1 and subscription_id = $2 limit 1',
    [eventId, subscriptionId],
  );
  if (unfinished === undefined) return;
  throw new ServiceError(
    'replay_in_progress',
    `${unfinished.id} sends this event to this subscription already; wait for its end`,
  );
}
