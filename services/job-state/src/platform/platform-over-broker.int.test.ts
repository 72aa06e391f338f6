import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { QueueDefinition } from '@partner/proto-contracts/topology';
import { type AmqpConnection, createAmqpConnection } from '@partner/kernel/amqp/connection';
import { type Consumer, type IncomingMessage, startConsumer } from '@partner/kernel/amqp/consumer';
import { createPublisher } from '@partner/kernel/amqp/publisher';
import { newId } from '@partner/kernel/process/ids';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { type BrokerProbe, openBrokerProbe } from '@partner/kernel/testing/broker-probe';
import { eventually } from '@partner/test-kit/eventually';
import { testAmqpUrl } from '@partner/test-kit/backing-services/server-urls';
import { Registry } from 'prom-client';
import { retryWhileUnavailable } from '../database/retry-while-unavailable.js';
import { insertCompany, jobAssignedMessage, jobCreatedMessage, TEST_NOW } from '../testing/test-jobs.js';
import { createPlatformMessageHandler } from './handle-platform-message.js';
import { startWaitingMessages } from './start-waiting-messages.js';
import { database } from '../testing/file-database.js';

const logger = silentLogger;
const clock = () => TEST_NOW;
const PREFETCH = 10;

let probe: BrokerProbe;
let connection: AmqpConnection;
let platformMessages: QueueDefinition;
let consumer: Consumer;

beforeAll(async () => {
  probe = await openBrokerProbe(testAmqpUrl());
  platformMessages = await probe.declareTestQueue();
  const metrics = new Registry();
  connection = createAmqpConnection({ url: testAmqpUrl(), name: 'test', logger, metrics });
  consumer = startConsumer({
    connection,
    queue: platformMessages,
    prefetch: PREFETCH,
    logger,
    metrics,
    handle: retryWhileUnavailable(createPlatformMessageHandler({ database, clock, logger, metrics })),
  });
});

afterAll(async () => {
  await consumer.stop();
  await connection.close();
  await probe.close();
});

function send({ messageId, type, body }: IncomingMessage): void {
  probe.channel.sendToQueue(platformMessages.name, Buffer.from(body), { messageId, type, persistent: true });
}

describe('job-state on a broker', () => {
  test('does not let early messages beyond the prefetch limit block their prerequisites', async () => {
    const seller = await insertCompany(database, 'SALES');
    const companyId = await insertCompany(database, 'INSTALLER');
    const jobs = Array.from({ length: 3 * PREFETCH }, () => newId('job'));
    const early = jobs.map((jobId) => jobAssignedMessage({ jobId, installerCompanyId: companyId }));
    for (const message of [...early, ...early]) send(message);
    for (const jobId of jobs) send(jobCreatedMessage({ jobId, sellingCompanyId: seller }));
    await eventually('all jobs, assigned', async () => {
      const assigned = await database.query('select id from jobs where installer_company_id = $1', [
        companyId,
      ]);
      return assigned.length === jobs.length;
    });
    const events = await database.query<{ resource_id: string }>(
      'select resource_id from events where company_id = $1',
      [companyId],
    );
    expect(events.map(({ resource_id }) => resource_id).sort()).toEqual([...jobs].sort());
    expect(await database.query('select 1 from inbox where settled_at is null')).toEqual([]);
  });

  test('gives up on a waiting message visibly: it is in the dead-letter queue with the reason', async () => {
    const jobId = newId('job');
    const assigned = jobAssignedMessage({ jobId, installerCompanyId: newId('cmp') });
    send(assigned);
    await eventually('the waiting message', async () => {
      return (await database.query('select 1 from inbox where prerequisite_id = $1', [jobId])).length === 1;
    });
    const metrics = new Registry();
    const publisher = createPublisher({ connection, logger, metrics });
    const waiting = startWaitingMessages({
      database,
      publisher,
      deadLetterQueue: platformMessages.deadLetterQueue ?? '',
      clock: () => new Date(TEST_NOW.getTime() + 24 * 3_600_000),
      logger,
      metrics,
      intervalMs: 20,
    });
    const dead = await probe.take(platformMessages.deadLetterQueue ?? '');
    expect(dead.properties).toMatchObject({
      messageId: assigned.messageId,
      type: assigned.type,
      headers: { 'x-dead-reason': `there was no ${jobId} within 24 h` },
    });
    expect(dead.content.equals(Buffer.from(assigned.body))).toBe(true);
    await waiting.stop();
    await publisher.close();
  });
});
