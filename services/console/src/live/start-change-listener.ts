import { fromBinary } from '@bufbuild/protobuf';
import { WebhooksChangedSchema } from '@partner/proto-contracts/gen/partner/webhooks/v1/webhooks_changed_pb';
import { WEBHOOK_CHANGES_BROADCAST } from '@partner/proto-contracts/topology';
import { startBroadcastConsumer } from '@partner/kernel/amqp/broadcast';
import type { AmqpConnection } from '@partner/kernel/amqp/connection';
import type { Consumer } from '@partner/kernel/amqp/consumer';
import type { Logger } from '@partner/kernel/telemetry/logger';
import type { ChangeStreams } from './change-streams.js';

/**
 * Forwards job-state's change announcements to the open streams. Makes every stream refresh if an announcement may have
 * been missed.
 */
export function startChangeListener(deps: {
  readonly connection: Pick<AmqpConnection, 'openChannel'>;
  readonly changeStreams: Pick<ChangeStreams, 'changed' | 'lookAgain'>;
  readonly logger: Logger;
}): Consumer {
  const { connection, changeStreams, logger } = deps;
  return startBroadcastConsumer({
    connection,
    exchange: WEBHOOK_CHANGES_BROADCAST,
    logger,
    handle(message) {
      if (message.type !== WebhooksChangedSchema.typeName) return;
      const { companyId, subscriptionIds } = fromBinary(WebhooksChangedSchema, message.body);
      if (companyId !== undefined) changeStreams.changed(companyId, subscriptionIds);
    },
    onGap: () => changeStreams.lookAgain(),
  });
}
