import { create, toBinary } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { expect, test } from '@jest/globals';
import {
  AuthenticationService,
  KeyRevokedSchema,
} from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { ACCESS_BROADCAST, JOB_STATE_INBOUND_RPC } from '@partner/proto-contracts/topology';
import { createAmqpConnection } from '@partner/kernel/amqp/connection';
import { createPublisher } from '@partner/kernel/amqp/publisher';
import { startRpcServer } from '@partner/kernel/amqp/rpc-server';
import { createLifecycle } from '@partner/kernel/lifecycle';
import { silentLogger } from '@partner/kernel/logger';
import { ServiceError } from '@partner/kernel/service-error';
import { partialRpcService } from '@partner/kernel/testing/in-memory-transport';
import { takeServerShare } from '@partner/test-kit/backing-services/take-server-share';
import { eventually } from '@partner/test-kit/eventually';
import { createRecorder } from '@partner/test-kit/recorder';
import { Registry } from 'prom-client';
import { connectJobState } from './connect-job-state.js';
import { startRevocationListener } from './revocation-listener.js';

const surroundings = { logger: silentLogger, metrics: new Registry() };
const UNREACHABLE = 'amqp://127.0.0.1:1';

/** Serves one key in a vhost of the test broker, and announces its revocation. */
async function startShard(keyId: string) {
  const share = await takeServerShare();
  const connection = createAmqpConnection({ url: share.amqpUrl, name: 'job-state', ...surroundings });
  const publisher = createPublisher({ connection, ...surroundings });
  const server = startRpcServer({
    connection,
    queue: JOB_STATE_INBOUND_RPC,
    prefetch: 1,
    services: [
      partialRpcService(AuthenticationService, {
        authenticateKey(request) {
          if (request.keyId === keyId) return { companyId: `company of ${keyId}` };
          throw new ServiceError('unauthenticated', 'the API key is not valid');
        },
      }),
    ],
    ...surroundings,
  });
  await eventually('the server', () => server.isConsuming());
  return {
    amqpUrl: share.amqpUrl,
    announceRevocation: () =>
      publisher.publish({
        exchange: ACCESS_BROADCAST,
        routingKey: KeyRevokedSchema.typeName,
        messageId: 'evt_1',
        type: KeyRevokedSchema.typeName,
        body: toBinary(KeyRevokedSchema, create(KeyRevokedSchema, { keyId })),
        mayBeLost: true,
      }),
    async stop() {
      await server.stop();
      await connection.close();
      await share.release();
    },
  };
}

test('is ready, calls and listens to the shards that it reaches [SHARD-4] [SHARD-5]', async () => {
  const shards = await Promise.all([startShard('key_1'), startShard('key_2')]);
  const lifecycle = createLifecycle({ logger: silentLogger, graceMs: 10_000 });
  lifecycle.started();
  const { shards: connected, transport } = connectJobState(
    {
      AMQP_URL: UNREACHABLE,
      SHARD_AMQP_URLS: shards.map(({ amqpUrl }) => amqpUrl),
      AMQP_TOPOLOGY: 'declare',
      RPC_TIMEOUT_MS: 60_000,
    },
    { ...surroundings, lifecycle },
    { name: 'gateway', queue: JOB_STATE_INBOUND_RPC },
  );
  const revoked = createRecorder<string>();
  const gaps = createRecorder<true>();
  const revocations = startRevocationListener({
    connections: connected.map(({ connection }) => connection),
    authenticator: { forget: (keyId) => revoked.record(keyId), forgetAll: () => gaps.record(true) },
    logger: silentLogger,
  });
  await gaps.atLeast(shards.length);
  await eventually('both shards are reached', () => {
    const { rabbitmq, ...others } = lifecycle.readiness().dependencies;
    return rabbitmq === false && Object.values(others).every(Boolean);
  });
  expect(lifecycle.readiness().ready).toBe(true);

  const { authenticateKey } = createClient(AuthenticationService, transport);
  for (const keyId of ['key_1', 'key_2']) {
    await expect(authenticateKey({ keyId })).resolves.toMatchObject({ companyId: `company of ${keyId}` });
  }
  await expect(authenticateKey({ keyId: 'key_3' })).rejects.toMatchObject({ reason: 'unavailable' });

  for (const shard of shards) await shard.announceRevocation();
  await revoked.atLeast(2);
  expect(revoked.all().toSorted()).toEqual(['key_1', 'key_2']);

  await revocations.stop();
  expect(await lifecycle.shutDown()).toBe(true);
  await Promise.all(shards.map((shard) => shard.stop()));
});
