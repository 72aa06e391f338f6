import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  type DeliverWebhookSchema,
  DeliverWebhooksSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { COMMANDS, WEBHOOK_DELIVERIES } from '@partner/proto-contracts/topology';
import { PublishError } from '@partner/kernel/amqp/publish-error';
import type { Publisher } from '@partner/kernel/amqp/publisher';
import { invariant } from '@partner/kernel/process/invariant';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { runWithRequestId } from '@partner/kernel/telemetry/request-context';
import { extractTrace, injectTrace, withSpan } from '@partner/kernel/telemetry/tracing';
import type { LeasedDelivery } from '../deliveries/leased-delivery.js';
import type { Queryable } from '../../database/database.js';
import type { SealedPrivateKeys } from '../deliveries/signing-keys.js';
import { returnLeases } from './claim-due.js';
import type { ReleaseMetrics } from './release-metrics.js';

/** Maximum number of deliveries in one command: enough to make the broker's cost small beside the attempts'. */
const MESSAGE_SIZE = 10;
/** Approximate bytes of bodies in one command. */
const MESSAGE_BYTES = 256 * 1_024;

export interface ReleaseDeps {
  readonly database: Queryable;
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly privateKeys: SealedPrivateKeys;
  readonly logger: Pick<Logger, 'debug'>;
  readonly metrics: ReleaseMetrics;
}

export interface ReleasedBatch {
  readonly released: number;
  /** Deliveries that the broker did not confirm. */
  readonly failed: number;
  readonly failure: unknown;
}

/**
 * Publishes claimed deliveries in commands of several deliveries, all in flight at once.
 *
 * Each delivery continues the trace of its event and the id of the request that caused it. What the broker did not accept is due
 * again after `returnAfterMs`. What it may have accepted keeps its lease, because a second command would send it twice.
 */
export async function publishClaimed(
  deps: ReleaseDeps,
  claimed: readonly LeasedDelivery[],
  returnAfterMs: number,
): Promise<ReleasedBatch> {
  if (claimed.length === 0) return { released: 0, failed: 0, failure: undefined };
  deps.metrics.batchSize.observe(claimed.length);

  const unsent: LeasedDelivery[] = [];
  let failed = 0;
  let failure: unknown;
  const release = async (deliveries: readonly LeasedDelivery[]) => {
    try {
      await publishCommands(deps, deliveries);
      for (const { id, attempt } of deliveries) {
        deps.logger.debug({ deliveryId: id, attempt }, 'delivery.released');
      }
    } catch (error) {
      failure ??= error;
      failed += deliveries.length;
      if (!(error instanceof PublishError && error.isPerhapsSent)) unsent.push(...deliveries);
    }
  };
  await Promise.all(commandsOf(claimed).map(release));
  if (failed > 0) deps.metrics.failedReleases.inc(failed);
  if (unsent.length > 0) await returnLeases(deps.database, unsent, returnAfterMs);
  return { released: claimed.length - failed, failed, failure };
}

/**
 * Groups deliveries into commands.
 *
 * A delivery whose endpoint failed its latest attempt has its own command. A command is acknowledged when all of its attempts
 * have finished, so with an attempt that hangs a crash would repeat the others.
 */
function commandsOf(claimed: readonly LeasedDelivery[]): readonly (readonly LeasedDelivery[])[] {
  const commands: LeasedDelivery[][] = [];
  let open: LeasedDelivery[] = [];
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

/** Publishes one message that commands an attempt of each delivery, at least one. Throws if the broker does not confirm it. */
async function publishCommands(
  { publisher, privateKeys }: Pick<ReleaseDeps, 'publisher' | 'privateKeys'>,
  deliveries: readonly LeasedDelivery[],
): Promise<void> {
  const [first] = deliveries;
  invariant(first, 'a command has deliveries');
  const commands = await Promise.all(
    deliveries.map((delivery) =>
      runWithRequestId(delivery.requestId ?? undefined, () => commandFor(delivery, privateKeys)),
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

/** The command for one attempt, with its own span in the trace of its event, on behalf of the original request. */
function commandFor(
  delivery: LeasedDelivery,
  privateKeys: SealedPrivateKeys,
): Promise<MessageInitShape<typeof DeliverWebhookSchema>> {
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
      const sealedPrivateKey = delivery.asymmetricSignature
        ? privateKeys(delivery.subscriptionId)
        : undefined;
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
        ...(delivery.sealedHeaders !== null && { sealedHeaders: delivery.sealedHeaders }),
        ...(sealedPrivateKey !== undefined && { sealedPrivateKey }),
        ...(delivery.isTest && { isTest: true }),
        ...(traceparent !== undefined && { traceParent: traceparent }),
        ...(delivery.requestId !== null && { requestId: delivery.requestId }),
        ...(delivery.number !== null && { number: delivery.number }),
      });
    },
  );
}
