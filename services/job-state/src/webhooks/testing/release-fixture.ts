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

export const LIMITS = { batchSize: 100, leaseSeconds: 30, inFlight: 1_000, subscriptionCap: 20 };

beforeEach(async () => {
  await fixture.database.query('delete from deliveries');
});

/** Releases due deliveries, with a separate publisher. */
export async function release(failure?: PublishErrorKind) {
  const publisher = createInMemoryPublisher();
  publisher.failWith(failure);
  const { database } = fixture;
  const metrics = createReleaseMetrics(new Registry(), database, LIMITS);
  const privateKeys = (id: string) => Buffer.from(id);
  const deps = { database, publisher, privateKeys, logger: silentLogger, metrics };
  const { released, failed } = await publishClaimed(deps, await claimAll(database, LIMITS), 60_000);
  return { released, failed, publisher };
}

export function commandsIn(publisher: InMemoryPublisher): readonly (readonly DeliverWebhook[])[] {
  return publisher.published.all().map(({ body }) => fromBinary(DeliverWebhooksSchema, body).deliveries);
}

/** Makes endpoints failing, as five consecutive failed attempts would. */
export async function setFailing(...subscriptionIds: readonly string[]): Promise<void> {
  const text = 'update subscriptions set failures_in_row = 5 where id = any($1::text[])';
  await fixture.database.query(text, [subscriptionIds]);
}

/** Ends a lease as a delivered attempt would. */
export const finish = (id: string | undefined) => fixture.finish('delivered', id ?? '');
