import { create } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import {
  type DeliveryService,
  GetServiceStatusResponseSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import {
  serviceStatus,
  type ServiceStatus,
} from '@partner/proto-contracts/resources/service-status/service-status';
import { requiredField } from '../required-field.js';

type StatusClient = Pick<Client<typeof DeliveryService>, 'getServiceStatus'>;

/**
 * Returns the status of a service with several shards: the worst of theirs. It is `degraded` too while a shard does not respond.
 * Fails if none responds.
 */
export function serviceStatusOfShards(shards: readonly StatusClient[]): StatusClient['getServiceStatus'] {
  return async (request, options) => {
    const results = await Promise.allSettled(shards.map((shard) => shard.getServiceStatus(request, options)));
    const statuses = results.flatMap((result) =>
      result.status === 'fulfilled'
        ? [serviceStatus.parse(JSON.parse(requiredField(result.value.resourceJson, 'the status')))]
        : [],
    );
    const failure = results.find((result) => result.status === 'rejected');
    if (statuses.length === 0) throw failure?.reason;
    const isDegraded = failure !== undefined || statuses.some(({ status }) => status === 'degraded');
    const percents = statuses.flatMap(({ failingWebhooksPercent }) => failingWebhooksPercent ?? []);
    const worst: ServiceStatus = {
      status: isDegraded ? 'degraded' : 'operational',
      webhookDelayMs: Math.max(...statuses.map(({ webhookDelayMs }) => webhookDelayMs)),
      failingWebhooksPercent: percents.length === 0 ? null : Math.max(...percents),
      restoredTo:
        statuses
          .flatMap(({ restoredTo }) => restoredTo ?? [])
          .toSorted()
          .at(-1) ?? null,
      checkedAt: statuses.map(({ checkedAt }) => checkedAt).toSorted()[0] ?? '',
    };
    return create(GetServiceStatusResponseSchema, { resourceJson: JSON.stringify(worst) });
  };
}
