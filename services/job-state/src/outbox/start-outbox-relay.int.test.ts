import { fromBinary } from '@bufbuild/protobuf';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { KeyRevokedSchema } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { JobStatusChangedSchema } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { ACCESS_BROADCAST, PARTNER_EVENTS } from '@partner/proto-contracts/topology';
import { type OutgoingMessage, PublishError } from '@partner/kernel/amqp/publisher';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { runWithRequestId } from '@partner/kernel/telemetry/request-context';
import { eventually } from '@partner/test-kit/eventually';
import { createRecorder } from '@partner/test-kit/recorder';
import { Registry } from 'prom-client';
import { createGate } from '../testing/create-gate.js';
import { enqueueMessage } from './enqueue-message.js';
import { startOutboxRelay } from './start-outbox-relay.js';
import { database } from '../testing/file-database.js';

const NEVER_MS = 3_600_000;

beforeEach(() => database.query('truncate outbox'));

async function enqueue(count: number): Promise<void> {
  await database.transaction(async (tx) => {
    for (let version = 1; version <= count; version += 1) {
      const message = { jobId: 'job_1', version };
      enqueueMessage(tx, { exchange: PARTNER_EVENTS, schema: JobStatusChangedSchema, message });
    }
  });
}

const enqueueBroadcast = () =>
  database.transaction((tx) => {
    const message = { keyId: 'key_1' };
    enqueueMessage(tx, { exchange: ACCESS_BROADCAST, schema: KeyRevokedSchema, message });
  });

/** Makes the messages of the outbox old enough for the sweep. */
async function age(): Promise<void> {
  await database.query(`update outbox set created_at = now() - interval '1 minute'`);
}

async function leaveBehind(count: number): Promise<void> {
  await enqueue(count);
  await age();
}

/** A publisher that records, and fails as instructed. */
function fakePublisher(
  settle: (message: OutgoingMessage, attempt: number) => Promise<void> = () => Promise.resolve(),
) {
  const [attempts, confirmed] = [createRecorder<OutgoingMessage>(), createRecorder<OutgoingMessage>()];
  return {
    attempts: attempts.all,
    confirmed,
    async publish(message: OutgoingMessage): Promise<void> {
      attempts.record(message);
      const same = attempts.all().filter(({ messageId }) => messageId === message.messageId);
      await settle(message, same.length);
      confirmed.record(message);
    },
  };
}

function start(
  publisher: Pick<ReturnType<typeof fakePublisher>, 'publish'>,
  intervalMs = NEVER_MS,
  metrics = new Registry(),
) {
  return startOutboxRelay({ database, publisher, logger: silentLogger, metrics, intervalMs });
}

const pending = async () =>
  (await database.query<{ n: number }>('select count(*)::int as n from outbox'))[0]?.n;

describe('the outbox relay', () => {
  test('publishes enqueued messages in order, as soon as they are committed, and deletes them', async () => {
    const publisher = fakePublisher();
    const relay = start(publisher);
    await enqueue(450);
    await publisher.confirmed.atLeast(450);
    await relay.stop();
    expect(publisher.attempts().map(({ body }) => fromBinary(JobStatusChangedSchema, body).version)).toEqual(
      Array.from({ length: 450 }, (_, index) => index + 1),
    );
    expect(new Set(publisher.attempts().map(({ messageId }) => messageId)).size).toBe(450);
    expect(publisher.attempts()[0]).toMatchObject({
      exchange: PARTNER_EVENTS,
      routingKey: 'partner.jobs.v1.JobStatusChanged',
      type: 'partner.jobs.v1.JobStatusChanged',
    });
    expect(await pending()).toBe(0);
  });

  test('keeps unconfirmed messages and publishes them again under the same id; confirmed ones are not repeated', async () => {
    const publisher = fakePublisher(({ body }, attempt) =>
      attempt === 1 && (fromBinary(JobStatusChangedSchema, body).version ?? 0) % 2 === 0
        ? Promise.reject(new PublishError('timeout', 'no confirm'))
        : Promise.resolve(),
    );
    await leaveBehind(10);
    const relay = start(publisher, 5);
    await publisher.confirmed.atLeast(10);
    await relay.stop();
    expect(new Set(publisher.confirmed.all().map(({ messageId }) => messageId)).size).toBe(10);
    expect(publisher.confirmed.all()).toHaveLength(10);
    expect(publisher.attempts()).toHaveLength(15);
    expect(await pending()).toBe(0);
  });

  test('adds the id of a request to its messages, and to no others [HTTP-8]', async () => {
    await runWithRequestId('req-1', () => leaveBehind(1));
    await leaveBehind(1);
    const publisher = fakePublisher();
    const relay = start(publisher);
    await publisher.confirmed.atLeast(2);
    await relay.stop();
    const ids = publisher.attempts().map(({ headers }) => headers?.['x-request-id']);
    expect(ids).toEqual(['req-1', undefined]);
  });

  test('shares the work with another relay: each message is confirmed by one of them', async () => {
    const gate = createGate();
    const publishers = [fakePublisher(() => gate.opened), fakePublisher(() => gate.opened)];
    await leaveBehind(900);
    const relays = publishers.map((publisher) => start(publisher, 5));
    gate.open();
    await eventually('an empty outbox', async () => (await pending()) === 0);
    await Promise.all(relays.map((relay) => relay.stop()));
    const ids = publishers.flatMap(({ confirmed }) => confirmed.all().map(({ messageId }) => messageId));
    expect(ids).toHaveLength(900);
    expect(new Set(ids).size).toBe(900);
  });

  test('treats a broadcast without a receiver as complete', async () => {
    const publisher = fakePublisher(() => Promise.reject(new PublishError('returned', 'no queue is bound')));
    await enqueueBroadcast();
    await age();
    const relay = start(publisher, 5);
    await eventually('an empty outbox', async () => (await pending()) === 0);
    await relay.stop();
    expect(publisher.attempts()).toHaveLength(1);
  });

  test('is not blocked on one exchange by messages that another one rejects', async () => {
    const publisher = fakePublisher((message) =>
      message.exchange === PARTNER_EVENTS
        ? Promise.reject(new PublishError('nacked', 'full'))
        : Promise.resolve(),
    );
    await enqueue(250);
    await enqueueBroadcast();
    await age();
    const relay = start(publisher);
    await publisher.confirmed.atLeast(1);
    await relay.stop();
    expect(publisher.confirmed.all()).toMatchObject([{ exchange: ACCESS_BROADCAST }]);
    expect(await pending()).toBe(250);
  });

  test('reports the age of the oldest message', async () => {
    const publisher = fakePublisher(() => Promise.reject(new PublishError('not-connected', 'away')));
    const measuredAge = async () => {
      const metrics = new Registry();
      await start(publisher, NEVER_MS, metrics).stop();
      return Number(/^partner_outbox_oldest_age_seconds (\S+)$/m.exec(await metrics.metrics())?.[1]);
    };
    await enqueue(1);
    await database.query(`update outbox set created_at = now() - interval '90 s'`);
    expect(await measuredAge()).toBeGreaterThanOrEqual(90);
    await database.query('truncate outbox');
    expect(await measuredAge()).toBe(0);
  });
});
