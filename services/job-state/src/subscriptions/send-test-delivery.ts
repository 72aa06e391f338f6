import { CURRENT_SCHEMA_VERSION } from '@partner/proto-contracts/public-api/versions';
import { idFloor, newId } from '@partner/runtime/ids';
import { invariant } from '@partner/runtime/invariant';
import type { Logger } from '@partner/runtime/logger';
import { ServiceError } from '@partner/runtime/service-error';
import { currentRequestId } from '@partner/runtime/request-context';
import { injectTrace } from '@partner/runtime/telemetry/tracing';
import type { Database, Transaction, TransactionLimits } from '../database/database.js';
import { DELIVERY_COLUMNS, type DeliveryRow } from '../deliveries/delivery-message.js';
import { renderEnvelope } from '../events/render-envelope.js';
import { lockSubscription, type OwnersSubscription } from './get-subscription.js';
import type { SubscriptionRow } from './subscription-message.js';

/** Test deliveries of one subscription within {@link TEST_WINDOW_MS}, at most. */
export const MAX_TEST_DELIVERIES = 10;

const TEST_WINDOW_MS = 60_000;
/** Ids tell the time by the clock of the replica that made them. */
const CLOCKS_APART_MS = 60_000;

/** A test that an owner asks for. */
export interface TestToSend extends OwnersSubscription {
  /** The version of the secret to sign with; undefined: what is current at each attempt. */
  readonly secretVersion?: number | undefined;
}

/**
 * Queues an `install.test` event for one subscription alone, paused or not. Once it is delivered to the subscription's
 * present URL, that URL is verified. With `secretVersion` it is signed with that secret, so that a pending one can be tried
 * before it is activated. Fails with `not_found` for a subscription that the company does not have, with
 * `secret_version_mismatch` for a secret that is neither current nor pending, and with `rate_limited` after 10 within 60 s.
 *
 * Lock: the subscription, so that tests sent at the same time are counted one after another.
 */
export async function sendTestDelivery(
  deps: {
    readonly database: Pick<Database, 'transaction'>;
    readonly logger: Pick<Logger, 'info'>;
    readonly clock: () => Date;
  },
  request: TestToSend,
  limits: TransactionLimits = {},
): Promise<DeliveryRow> {
  const { companyId, subscriptionId, membershipId, secretVersion } = request;
  const now = deps.clock();
  const [eventId, deliveryId] = [newId('evt'), newId('dlv')];
  const resource = { type: 'webhook_subscription', id: subscriptionId, version: 1 };
  const body = renderEnvelope({
    eventId,
    event: 'install.test',
    occurredAt: now,
    resource,
    data: { subscriptionId, message: 'This is a test delivery. It is safe to ignore.' },
  });
  const delivery = await deps.database.transaction(async (tx) => {
    const subscription = await lockSubscription(tx, request);
    if (secretVersion !== undefined) refuseUnknownSecret(subscription, secretVersion);
    await refuseTooMany(tx, subscriptionId, now);
    await tx.query(
      `with event as (
         insert into events
           (id, company_id, name, schema_version, occurred_at, resource_type, resource_id, resource_version, body,
            trace_parent, request_id, created_at)
         values ($1, $2, 'install.test', $3, $4, $5, $6, $7, $8, $9, $10, $4)
         returning *
       )
       insert into deliveries
         (id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test, secret_version, created_at)
       select $11, $6, event.company_id, event.id, event.name, event.resource_type, event.resource_id, true, $12,
         event.created_at
       from event`,
      [
        eventId,
        companyId,
        CURRENT_SCHEMA_VERSION,
        now,
        resource.type,
        resource.id,
        resource.version,
        body,
        injectTrace()['traceparent'] ?? null,
        currentRequestId() ?? null,
        deliveryId,
        secretVersion ?? null,
      ],
    );
    const [row] = await tx.query<DeliveryRow>(
      `select ${DELIVERY_COLUMNS} from deliveries d where d.id = $1`,
      [deliveryId],
    );
    invariant(row, 'what was inserted is there');
    tx.wakeAfterCommit('deliveries');
    return row;
  }, limits);
  deps.logger.info({ subscriptionId, companyId, membershipId, deliveryId }, 'subscription.test_queued');
  return delivery;
}

function refuseUnknownSecret(subscription: SubscriptionRow, wanted: number): void {
  const { secretVersion, pendingSecretVersion } = subscription;
  if (wanted === secretVersion || wanted === pendingSecretVersion) return;
  const pending =
    pendingSecretVersion === null ? 'none is pending' : `the pending one is ${pendingSecretVersion}`;
  throw new ServiceError(
    'secret_version_mismatch',
    `secretVersion: ${wanted} is not the version of a secret; the current one is ${secretVersion}, ${pending}`,
  );
}

async function refuseTooMany(tx: Transaction, subscriptionId: string, now: Date): Promise<void> {
  const begin = new Date(now.getTime() - TEST_WINDOW_MS);
  const [oldestThatCounts] = await tx.query<{ createdAt: Date }>(
    `select d.created_at as "createdAt" from (
       select created_at from deliveries where subscription_id = $1 and id >= $4 and is_test
       union all
       select created_at from finished_deliveries where subscription_id = $1 and id >= $4 and is_test
     ) d
     where d.created_at > $2
     order by d.created_at desc offset $3 limit 1`,
    [
      subscriptionId,
      begin,
      MAX_TEST_DELIVERIES - 1,
      idFloor('dlv', new Date(begin.getTime() - CLOCKS_APART_MS)),
    ],
  );
  if (oldestThatCounts === undefined) return;
  const freeInMs = oldestThatCounts.createdAt.getTime() + TEST_WINDOW_MS - now.getTime();
  throw new ServiceError(
    'rate_limited',
    `at most ${MAX_TEST_DELIVERIES} test deliveries can be sent to a subscription within ${TEST_WINDOW_MS / 1_000} s`,
    { retryAfterSeconds: Math.max(1, Math.ceil(freeInMs / 1_000)) },
  );
}
