import { create, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { DeliverWebhookSchema } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { COMMANDS, WEBHOOK_DELIVERIES } from '@partner/proto-contracts/topology';
import type { Publisher } from '@partner/runtime/amqp/publisher';
import type { Logger } from '@partner/runtime/logger';
import { extractTrace, injectTrace, withSpan } from '@partner/runtime/telemetry/tracing';
import type { Queryable } from '../database/database.js';
import { claimDue, type ClaimedDelivery, type ClaimLimits, returnLeases } from './claim-due.js';
import type { ReleaseMetrics } from './delivery-metrics.js';

/** What the release of one batch works with. */
export interface ReleaseDeps {
  readonly database: Queryable;
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly logger: Pick<Logger, 'debug'>;
  readonly metrics: ReleaseMetrics;
}

/** How a batch went. */
export interface ReleasedBatch {
  /** Deliveries that the broker has confirmed. */
  readonly released: number;
  /** Deliveries that it has not; they are due again after `returnAfterMs`. */
  readonly failed: number;
  /** Why the first of them failed. */
  readonly failure: unknown;
}

/**
 * Claims what is due and gives it to the broker, all of it in flight at once, each in the trace of its event and with
 * the id of the request that made it. Leases of
 * what was not confirmed are returned, so that a delivery that the broker took all the same can be attempted twice. Throws
 * when the database fails; leases that were claimed by then run out by themselves.
 */
export async function releaseBatch(
  deps: ReleaseDeps,
  limits: ClaimLimits & { readonly returnAfterMs: number },
): Promise<ReleasedBatch> {
  const claimed = await claimDue(deps.database, limits);
  if (claimed.length === 0) return { released: 0, failed: 0, failure: undefined };
  deps.metrics.batchSize.observe(claimed.length);
  deps.metrics.leaseExpiries.inc(claimed.filter((delivery) => delivery.previousLeaseExpired).length);

  const unconfirmed: ClaimedDelivery[] = [];
  let failure: unknown;
  const release = async (delivery: ClaimedDelivery) => {
    try {
      await publish(deps.publisher, delivery);
      deps.logger.debug({ deliveryId: delivery.id, attempt: delivery.attempt }, 'delivery.released');
    } catch (error) {
      failure ??= error;
      unconfirmed.push(delivery);
    }
  };
  await Promise.all(claimed.map(release));
  if (unconfirmed.length > 0) {
    deps.metrics.failedReleases.inc(unconfirmed.length);
    await returnLeases(deps.database, unconfirmed, limits.returnAfterMs);
  }
  return { released: claimed.length - unconfirmed.length, failed: unconfirmed.length, failure };
}

function publish(publisher: Pick<Publisher, 'publish'>, delivery: ClaimedDelivery): Promise<void> {
  const command = create(DeliverWebhookSchema, {
    deliveryId: delivery.id,
    subscriptionId: delivery.subscriptionId,
    leaseId: delivery.leaseId,
    attempt: delivery.attempt,
    leasedAt: timestampFromDate(delivery.leasedAt),
    leaseExpiresAt: timestampFromDate(delivery.leaseExpiresAt),
    url: delivery.url,
    urlVersion: delivery.urlVersion,
    eventId: delivery.eventId,
    event: delivery.event,
    body: delivery.body,
    secretVersion: delivery.secretVersion,
    sealedSecret: delivery.sealedSecret,
  });
  return withSpan(
    {
      name: 'release delivery',
      kind: 'PRODUCER',
      parent: extractTrace({ traceparent: delivery.traceParent }),
      attributes: { deliveryId: delivery.id, eventId: delivery.eventId, attempt: delivery.attempt },
    },
    () =>
      publisher.publish({
        exchange: COMMANDS,
        routingKey: WEBHOOK_DELIVERIES.name,
        messageId: delivery.leaseId,
        type: DeliverWebhookSchema.typeName,
        body: toBinary(DeliverWebhookSchema, command),
        headers: {
          ...injectTrace(),
          ...(delivery.requestId !== null && { 'x-request-id': delivery.requestId }),
        },
      }),
  );
}
