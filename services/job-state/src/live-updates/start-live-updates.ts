import { create, toBinary } from '@bufbuild/protobuf';
import { WebhooksChangedSchema } from '@partner/proto-contracts/gen/partner/webhooks/v1/webhooks_changed_pb';
import { WEBHOOK_CHANGES_BROADCAST } from '@partner/proto-contracts/topology';
import type { Publisher } from '@partner/kernel/amqp/publisher';
import { newId } from '@partner/kernel/process/ids';
import { createKeyedThrottle } from '@partner/kernel/process/keyed-throttle';
import type { After } from '@partner/kernel/process/timers';
import type { AfterCommit } from '../database/after-commit.js';
import { onLiveUpdate } from './send-live-update.js';

/** Minimum interval between two live updates of a company. */
const SENT_EVERY_MS = 1_000;

export interface LiveUpdates {
  /** Stops the live updates and drops the pending ones. */
  readonly stop: () => void;
}

/**
 * Broadcasts the companies whose webhooks or deliveries changed, at most once a second each.
 *
 * No transaction waits for it or fails with it: a live update that the broker does not accept is lost.
 */
export function startLiveUpdates(deps: {
  /** All databases through which this process changes webhooks or deliveries. */
  readonly databases: readonly Pick<AfterCommit, 'hooks'>[];
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly after: After;
}): LiveUpdates {
  let isStopped = false;
  const throttle = createKeyedThrottle({
    intervalMs: SENT_EVERY_MS,
    emit: (companyId, subscriptionIds) => void send(companyId, subscriptionIds),
    after: deps.after,
  });

  async function send(companyId: string, subscriptionIds: readonly string[]): Promise<void> {
    try {
      await deps.publisher.publish({
        exchange: WEBHOOK_CHANGES_BROADCAST,
        routingKey: WebhooksChangedSchema.typeName,
        messageId: newId('evt'),
        type: WebhooksChangedSchema.typeName,
        body: toBinary(
          WebhooksChangedSchema,
          create(WebhooksChangedSchema, { companyId, subscriptionIds: [...subscriptionIds] }),
        ),
        mayBeLost: true,
      });
    } catch {
      // The publisher counts the failure. Viewers also poll.
    }
  }

  for (const database of deps.databases) {
    onLiveUpdate(database, (companyId, subscriptionIds) => {
      if (!isStopped) throttle.note(companyId, subscriptionIds);
    });
  }
  return {
    stop() {
      isStopped = true;
      throttle.stop();
    },
  };
}
