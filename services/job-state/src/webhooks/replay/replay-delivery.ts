import { newId } from '@partner/kernel/process/ids';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import type { Transaction } from '../../database/database.js';
import { type ChangeDeps, recordChange } from '../subscriptions/change-subscription.js';
import { type Caller, lockSubscription } from '../subscriptions/get-subscription.js';
import { DELIVERY_COLUMNS, type DeliveryRow, isWaiting, MAKE_DUE } from '../deliveries/delivery-columns.js';
import { ofEvent, orderedOf, queueDeliveries } from '../deliveries/queue-delivery.js';
import { type DeliveryOfCompany, isDeliveryOfCompany } from '../attempts/get-delivery.js';
import { deliveriesWaiting } from '../deliveries/releaser.js';

type SendAgainDeps = Pick<ChangeDeps, 'database' | 'logger'>;
type DeliveryToSend = DeliveryOfCompany & Caller;

type KnownDelivery = Pick<DeliveryRow, 'id' | 'subscriptionId' | 'eventId' | 'state' | 'isTest'> & {
  readonly number: string | null;
  readonly isInFlight: boolean;
};

/** Sends an event again: `send` returns the delivery that is due now. The entry of the trail is about the one that the request names. */
function sendAgain(
  deps: SendAgainDeps,
  request: DeliveryToSend,
  action: 'delivery.replayed' | 'delivery.retried',
  send: (tx: Transaction) => Promise<DeliveryRow>,
): Promise<DeliveryRow> {
  return recordChange(deps, request, async (tx) => {
    const result = await send(tx);
    const { id, replayOf, subscriptionId, eventId } = result;
    deliveriesWaiting.tell(tx, subscriptionId);
    const isReplay = action === 'delivery.replayed';
    return {
      result,
      recorded: {
        ...{ subscriptionId, action },
        subject: { type: 'delivery', id: isReplay ? (replayOf ?? id) : id },
        details: { ...(isReplay && { replayId: id }), subscriptionId, eventId },
        ...{ line: action, logged: { deliveryId: id, replayOf, eventId } },
      },
    };
  });
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
export function replayDelivery(deps: SendAgainDeps, request: DeliveryToSend): Promise<DeliveryRow> {
  const { companyId } = request;
  return sendAgain(deps, request, 'delivery.replayed', async (tx) => {
    const replayed = await findDelivery(tx, request);
    const { id, subscriptionId, eventId, number } = replayed;
    const { state } = await lockSubscription(tx, { companyId, subscriptionId });
    refuseUnfinished(replayed);
    await refuseSecondReplay(tx, replayed);
    const [replay] = await tx.query<DeliveryRow>(
      `with d as (
         ${queueDeliveries(
           {
             ...ofEvent('e'),
             ...{ id: '$1', subscriptionId: '$2', replayOf: '$3', state: '$4', number: '$6' },
             ordered: orderedOf('$2'),
           },
           'events e where e.id = $5',
         )}
         returning *
       )
       select ${DELIVERY_COLUMNS} from d`,
      [newId('dlv'), subscriptionId, id, state === 'active' ? 'pending' : 'held', eventId, number],
    );
    if (replay !== undefined) return replay;
    throw new ServiceError('event_expired', 'the event is no longer kept; there is nothing to replay');
  });
}

async function findDelivery(
  tx: Transaction,
  { companyId, deliveryId }: DeliveryOfCompany,
): Promise<KnownDelivery> {
  const [found] = await tx.query<KnownDelivery>(
    `select d.id, d.subscription_id as "subscriptionId", d.event_id as "eventId", d.state, d.is_test as "isTest", d.number,
       d.lease_id is not null as "isInFlight"
     from all_deliveries d
     where ${isDeliveryOfCompany('$1', '$2')}`,
    [companyId, deliveryId],
  );
  if (found === undefined) throw notFound('webhook delivery');
  return found;
}

function refuseUnfinished({ state, isTest }: KnownDelivery): void {
  if (!isTest && (state === 'delivered' || state === 'dead_lettered')) return;
  throw new ServiceError(
    'delivery_not_replayable',
    isTest
      ? 'a test delivery cannot be replayed; send a new test instead'
      : `the delivery is ${state}; only one that is delivered or dead_lettered can be replayed`,
  );
}

async function refuseSecondReplay(tx: Transaction, { subscriptionId, eventId }: KnownDelivery) {
  const [unfinished] = await tx.query<{ id: string }>(
    'select id from deliveries where event_id = $1 and subscription_id = $2 limit 1',
    [eventId, subscriptionId],
  );
  if (unfinished === undefined) return;
  throw new ServiceError(
    'replay_in_progress',
    `${unfinished.id} is already sending this event to this subscription; wait until it has finished`,
  );
}

/**
 * Makes the next scheduled attempt of a delivery due now.
 *
 * The attempt counts as the scheduled one, so the backoff after it and the number of attempts left stay the same. It waits for a
 * slot of its endpoint as any due attempt does. Fails with `not_found`, or with `delivery_not_waiting` unless the delivery waits
 * for a retry.
 */
export function retryDelivery(deps: SendAgainDeps, request: DeliveryToSend): Promise<DeliveryRow> {
  return sendAgain(deps, request, 'delivery.retried', async (tx) => {
    const [retried] = await tx.query<DeliveryRow>(
      `with d as (
         update deliveries as d set ${MAKE_DUE}
         where ${isDeliveryOfCompany('$1', '$2')} and ${isWaiting('d', 'retry_scheduled')}
         returning *
       )
       select ${DELIVERY_COLUMNS} from d`,
      [request.companyId, request.deliveryId],
    );
    if (retried !== undefined) return retried;
    const { state, isInFlight } = await findDelivery(tx, request);
    throw new ServiceError(
      'delivery_not_waiting',
      `the delivery is ${isInFlight ? 'in flight' : state}; only one that is waiting for a retry can be retried now`,
    );
  });
}
