import { createClient } from '@connectrpc/connect';
import { expect, test } from '@jest/globals';
import { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { SUBSCRIPTION_EXAMPLE } from '@partner/proto-contracts/resources/subscription/subscription';
import { ServiceError } from '@partner/kernel/process/service-error';
import { createInMemoryTransport, partialRpcService } from '@partner/kernel/testing/in-memory-transport';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { applyPlan } from './apply-plan.js';
import type { Step } from './plan-configuration.js';

const company = { id: 'cmp_1', name: 'Peak', class: 'INSTALLER' } as const;
const wanted = { description: 'Board', url: 'https://hooks.example/a', events: ['install.*'] };
const webhook = { ...SUBSCRIPTION_EXAMPLE, headerNames: [], events: ['install.*'] };

test('a plan changes a webhook only as it was read, creates with a unique description, and stops at the first failure [CONFIG-3, CONFIG-4]', async () => {
  const calls: unknown[] = [];
  const service = partialRpcService(SubscriptionService, {
    createSubscription({ uniqueDescription, dropsSecret, description }) {
      calls.push({ uniqueDescription, dropsSecret, description });
      const created = { subscription: { ...webhook, id: 'whk_new' }, secret: 'whsec_x' };
      return { resourceJson: JSON.stringify(created), subscriptionId: 'whk_new' };
    },
    updateSubscription({ subscriptionId, expectedUpdatedAt, rate, url, description }) {
      const at = expectedUpdatedAt && timestampDate(expectedUpdatedAt).toISOString();
      calls.push({ subscriptionId, at, perSecond: rate?.perSecond, url, description });
      if (description === 'edited meanwhile') throw new ServiceError('stale_version', 'changed');
      return {};
    },
    deleteSubscription({ subscriptionId, expectedUpdatedAt }) {
      const at = expectedUpdatedAt && timestampDate(expectedUpdatedAt).toISOString();
      calls.push({ deleted: subscriptionId, at });
      return {};
    },
  });
  const steps: readonly Step[] = [
    { company, kind: 'create', wanted: { ...wanted, deliveriesPerSecond: 7 } },
    { company, kind: 'change', webhook, change: { url: wanted.url } },
    { company, kind: 'unlisted', webhook },
    { company, kind: 'delete', webhook },
    { company, kind: 'change', webhook, change: { description: 'edited meanwhile' } },
    { company, kind: 'contact', email: 'dev@peak.example', former: null },
  ];
  const { outcomes, failure } = await applyPlan(
    {
      subscriptions: createClient(SubscriptionService, createInMemoryTransport([service])),
      actor: { displayName: 'operator: olga' },
      setContact: () => Promise.reject(new Error('not reached')),
    },
    { steps },
    new AbortController().signal,
  );
  expect(calls).toEqual([
    { uniqueDescription: true, dropsSecret: true, description: 'Board' },
    { subscriptionId: 'whk_new', perSecond: 7 },
    { subscriptionId: webhook.id, at: webhook.updatedAt, url: wanted.url },
    { deleted: webhook.id, at: webhook.updatedAt },
    { subscriptionId: webhook.id, at: webhook.updatedAt, description: 'edited meanwhile' },
  ]);
  expect(failure).toMatchObject({ reason: 'stale_version' });
  expect(steps.map((step) => outcomes.get(step))).toEqual([
    { outcome: 'done', id: 'whk_new' },
    { outcome: 'done' },
    undefined,
    { outcome: 'done' },
    { outcome: 'failed' },
    { outcome: 'not done' },
  ]);
});
