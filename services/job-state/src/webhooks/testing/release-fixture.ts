import { fromBinary } from '@bufbuild/protobuf';
import { beforeEach } from '@jest/globals';
import {
  type DeliverWebhook,
  DeliverWebhooksSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import type { PublishErrorKind } from '@partner/kernel/amqp/publish-error';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { createInMemoryPublisher, type InMemoryPublisher } from '@partner/kernel/testing/in-memory-publisher';
import { Registry } from 'prom-client';
import { claimAll } from '../../testing/claim-all.js';
import { createReleaseMetrics } from '../schedule/release-metrics.js';
import { publishClaimed } from '../schedule/release-batch.js';
import { fixture } from '../../testing/file-webhooks.js';

export { fixture };

export const LIMITS = {
  batchSize: 100,
  leaseSeconds: 30,
  inFlight: 1_000,
  subscriptionCap: 20,
  returnAfterMs: 60_000,
};

beforeEach(async () => {
  await fixture.database.query('delete from deliveries');
});

/** Releases due deliveries, with a separate publisher and metrics. */
export function release(limits: Partial<typeof LIMITS> = {}, failure?: PublishErrorKind) {
  const publisher = createInMemoryPublisher();
  publisher.failWith(failure);
  const registry = new Registry();
  const metrics = createReleaseMetrics(registry, fixture.database, LIMITS);
  const done = claimAll(fixture.database, { ...LIMITS, ...limits }).then((claimed) =>
    publishClaimed(
      {
        database: fixture.database,
        publisher,
        privateKeys: (id: string) => Buffer.from(id),
        logger: silentLogger,
        metrics,
      },
      claimed,
      limits.returnAfterMs ?? LIMITS.returnAfterMs,
    ),
  );
  return { done, publisher, registry };
}

/** The published commands, one per message. */
export function commandsIn(publisher: InMemoryPublisher): readonly (readonly DeliverWebhook[])[] {
  return publisher.published.all().map(({ body }) => fromBinary(DeliverWebhooksSchema, body).deliveries);
}

/** Makes endpoints failing, as five consecutive failed attempts would. */
export async function setFailing(...subscriptionIds: readonly string[]): Promise<void> {
  await fixture.database.query('update subscriptions set failures_in_row = 5 where id = any($1::text[])', [
    subscriptionIds,
  ]);
}

/** Finishes a delivery as a delivered attempt would. */
export async function finish(id: string | undefined): Promise<void> {
  await fixture.database.query('delete from deliveries where id = $1', [id]);
}

export async function metric(registry: Registry, name: string): Promise<number | undefined> {
  const found = await registry.getSingleMetric(name)?.get();
  return found?.values[0]?.value;
}
