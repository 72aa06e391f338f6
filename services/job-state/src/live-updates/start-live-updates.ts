import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { WebhooksChangedSchema } from '@partner/proto-contracts/gen/partner/webhooks/v1/webhooks_changed_pb';
import { WEBHOOK_CHANGES_BROADCAST } from '@partner/proto-contracts/topology';
import type { Publisher } from '@partner/kernel/amqp/publisher';
import { newId } from '@partner/kernel/process/ids';
import type { After } from '@partner/kernel/process/timers';
import type { AfterCommit } from '../database/after-commit.js';
import { onLiveUpdate } from './send-live-update.js';

/** Minimum interval between two live updates. */
const SENT_EVERY_MS = 250;

export interface LiveUpdates {
  /** Stops the live updates and drops the pending ones. */
  readonly stop: () => void;
}

/**
 * Broadcasts the companies whose webhooks or deliveries changed: the first change at once, then all together four times a second.
 *
 * No transaction waits for it or fails with it: a live update that the broker does not accept is lost.
 */
export function startLiveUpdates(deps: {
  readonly database: Pick<AfterCommit, 'hooks'>;
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly after: After;
}): LiveUpdates {
  let isStopped = false;
  /** The changed subscriptions by company since the latest message. */
  let changed = new Map<string, Set<string>>();
  let endRest: (() => void) | undefined;

  function sendAndRest(): void {
    const [first, ...others] = [...changed].map(([companyId, ids]) => ({
      companyId,
      subscriptionIds: [...ids],
    }));
    changed = new Map();
    endRest = first === undefined ? undefined : deps.after(SENT_EVERY_MS, sendAndRest);
    if (first !== undefined) void send({ ...first, others });
  }

  async function send(message: MessageInitShape<typeof WebhooksChangedSchema>): Promise<void> {
    try {
      await deps.publisher.publish({
        exchange: WEBHOOK_CHANGES_BROADCAST,
        routingKey: WebhooksChangedSchema.typeName,
        messageId: newId('evt'),
        type: WebhooksChangedSchema.typeName,
        body: toBinary(WebhooksChangedSchema, create(WebhooksChangedSchema, message)),
        mayBeLost: true,
      });
    } catch {
      // The publisher counts the failure. Viewers also poll.
    }
  }

  onLiveUpdate(deps.database, (companyId, subscriptionIds) => {
    if (isStopped) return;
    changed.set(companyId, new Set([...(changed.get(companyId) ?? []), ...subscriptionIds]));
    if (endRest === undefined) sendAndRest();
  });
  return {
    stop() {
      isStopped = true;
      endRest?.();
    },
  };
}
