import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  type DeliverWebhookSchema,
  DeliverWebhooksSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { COMMANDS, WEBHOOK_DELIVERIES } from '@partner/proto-contracts/topology';
import type { Publisher } from '@partner/kernel/amqp/publisher';
import { invariant } from '@partner/kernel/invariant';
import type { Logger } from '@partner/kernel/logger';
import { runWithRequestId } from '@partner/kernel/request-context';
import { extractTrace, injectTrace, withSpan } from '@partner/kernel/telemetry/tracing';
import type { Queryable } from '../../database/database.js';
import { type ClaimedDelivery, returnLeases } from './claim-due.js';
import type { ReleaseMetrics } from './release-metrics.js';

/** Deliveries in one command: enough to make the broker's work small beside the attempts'. */
const MESSAGE_SIZE = 10;
/** Bytes of bodies in one command, about. */
const MESSAGE_BYTES = 256 * 1_024;

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
 * Gives what was claimed to the broker in commands of several deliveries, all of them in flight at once. Each
 * delivery carries on the trace of its event and the id of the request that made it. Leases of
 * what was not confirmed are returned, so that a delivery that the broker took all the same can be attempted twice.
 */
export async function publishClaimed(
  deps: ReleaseDeps,
  claimed: readonly ClaimedDelivery[],
  returnAfterMs: number,
): Promise<ReleasedBatch> {
  if (claimed.length === 0) return { released: 0, failed: 0, failure: undefined };
  deps.metrics.batchSize.observe(claimed.length);

  const unconfirmed: ClaimedDelivery[] = [];
  let failure: unknown;
  const release = async (deliveries: readonly ClaimedDelivery[]) => {
    try {
      await publish(deps.publisher, deliveries);
      for (const { id, attempt } of deliveries) {
        deps.logger.debug({ deliveryId: id, attempt }, 'delivery.released');
      }
    } catch (error) {
      failure ??= error;
      unconfirmed.push(...deliveries);
    }
  };
  await Promise.all(commandsOf(claimed).map(release));
  if (unconfirmed.length > 0) {
    deps.metrics.failedReleases.inc(unconfirmed.length);
    await returnLeases(deps.database, unconfirmed, returnAfterMs);
  }
  return { released: claimed.length - unconfirmed.length, failed: unconfirmed.length, failure };
}

/**
 * Groups deliveries into commands. A delivery whose endpoint failed its latest attempt has a command of its own: a command is
 * acknowledged when all of its attempts have ended, so one that hangs would make a crash repeat the others.
 */
export function commandsOf(claimed: readonly ClaimedDelivery[]): readonly (readonly ClaimedDelivery[])[] {
  const commands: ClaimedDelivery[][] = [];
  let open: ClaimedDelivery[] = [];
  let bytes = 0;
  for (const delivery of claimed) {
    if (delivery.lastAttemptFailed) {
      commands.push([delivery]);
      continue;
    }
    if (open.length === 0 || open.length >= MESSAGE_SIZE || bytes + delivery.body.length > MESSAGE_BYTES) {
      open = [];
      bytes = 0;
      commands.push(open);
    }
    open.push(delivery);
    bytes += delivery.body.length;
  }
  return commands;
}

async function publish(
  publisher: Pick<Publisher, 'publish'>,
  deliveries: readonly ClaimedDelivery[],
): Promise<void> {
  const [first] = deliveries;
  invariant(first, 'a command has deliveries');
  const commands = await Promise.all(
    deliveries.map((delivery) =>
      runWithRequestId(delivery.requestId ?? undefined, () => commandFor(delivery)),
    ),
  );
  await publisher.publish({
    exchange: COMMANDS,
    routingKey: WEBHOOK_DELIVERIES.name,
    messageId: first.leaseId,
    type: DeliverWebhooksSchema.typeName,
    body: toBinary(DeliverWebhooksSchema, create(DeliverWebhooksSchema, { deliveries: commands })),
  });
}

/** The command for one attempt, with a span of its own in the trace of its event, on behalf of the request that made it. */
function commandFor(delivery: ClaimedDelivery): Promise<MessageInitShape<typeof DeliverWebhookSchema>> {
  return withSpan(
    {
      name: 'release delivery',
      kind: 'PRODUCER',
      parent: extractTrace({ traceparent: delivery.traceParent }),
      attributes: {
        'partner.delivery_id': delivery.id,
        'partner.event_id': delivery.eventId,
        'partner.attempt': delivery.attempt,
      },
    },
    () => {
      const { traceparent } = injectTrace();
      return Promise.resolve({
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
        ...(traceparent !== undefined && { traceParent: traceparent }),
        ...(delivery.requestId !== null && { requestId: delivery.requestId }),
      });
    },
  );
}
