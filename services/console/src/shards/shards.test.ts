import { createClient } from '@connectrpc/connect';
import { expect, test } from '@jest/globals';
import { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import type { ServiceStatus } from '@partner/proto-contracts/resources/service-status/service-status';
import { notCarriedOut } from '@partner/kernel/amqp/rpc-error';
import { createInMemoryTransport, partialRpcService } from '@partner/kernel/testing/in-memory-transport';
import { addColleagueOnce } from './add-colleague-once.js';
import { serviceStatusOfShards } from './service-status-of-shards.js';

const HEALTHY: ServiceStatus = {
  status: 'operational',
  webhookDelayMs: 10,
  failingWebhooksPercent: null,
  restoredTo: null,
  checkedAt: '2026-11-26T09:00:01.000Z',
};

async function statusOf(...statuses: readonly (ServiceStatus | undefined)[]): Promise<unknown> {
  const measure = serviceStatusOfShards(
    statuses.map((status) =>
      createClient(
        DeliveryService,
        createInMemoryTransport([
          partialRpcService(DeliveryService, {
            getServiceStatus() {
              if (status === undefined) throw notCarriedOut(new Error('there is no connection'));
              return { resourceJson: JSON.stringify(status) };
            },
          }),
        ]),
      ),
    ),
  );
  const { resourceJson = '' } = await measure({});
  return JSON.parse(resourceJson);
}

test('the status is the worst of all shards, and degraded while one does not respond [SHARD-4]', async () => {
  await expect(statusOf(HEALTHY, HEALTHY)).resolves.toEqual(HEALTHY);
  const worse: ServiceStatus = {
    status: 'degraded',
    webhookDelayMs: 70_000,
    failingWebhooksPercent: 20,
    restoredTo: '2026-11-25T00:00:00.000Z',
    checkedAt: '2026-11-26T09:00:00.000Z',
  };
  await expect(statusOf(HEALTHY, worse)).resolves.toEqual(worse);
  await expect(statusOf(undefined, HEALTHY)).resolves.toEqual({ ...HEALTHY, status: 'degraded' });
  await expect(statusOf(undefined, undefined)).rejects.toMatchObject({ reason: 'unavailable' });
});

test('refuses the address of a person in another shard, before it adds anyone [SHARD-6]', async () => {
  const added: string[] = [];
  const add = addColleagueOnce(
    createClient(
      AccessService,
      createInMemoryTransport([
        partialRpcService(AccessService, {
          locateAddress: ({ email }) => (email === 'new@a.example' ? {} : { companyId: 'cmp_1' }),
          addColleague({ companyId = '' }) {
            added.push(companyId);
            return { resourceJson: '{}' };
          },
        }),
      ]),
    ),
  );
  const refusal = {
    reason: 'invalid_argument',
    attributes: { details: [{ path: 'email', message: 'is in use' }] },
  };
  await expect(add({ companyId: 'cmp_2', email: 'olive@a.example' })).rejects.toMatchObject(refusal);
  // The company itself knows whether it may invite the person again.
  await add({ companyId: 'cmp_1', email: 'olive@a.example' });
  await add({ companyId: 'cmp_2', email: 'new@a.example' });
  expect(added).toEqual(['cmp_1', 'cmp_2']);
});
