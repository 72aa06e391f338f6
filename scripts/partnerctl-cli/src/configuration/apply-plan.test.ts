import { expect, test } from '@jest/globals';
import { configureWebhookOperation } from '@partner/proto-contracts/internal/operators/webhooks';
import { SUBSCRIPTION_EXAMPLE } from '@partner/proto-contracts/resources/subscription/subscription';
import { ServiceError } from '@partner/kernel/process/service-error';
import { implementInternal } from '@partner/kernel/amqp/implement';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { applyPlan } from './apply-plan.js';
import type { Step } from './plan-configuration.js';

const company = { id: 'cmp_1', name: 'Peak', class: 'INSTALLER' } as const;
const wanted = { description: 'Board', url: 'https://hooks.example/a', events: ['install.*'] };
const webhook = { ...SUBSCRIPTION_EXAMPLE, headerNames: [], events: ['install.*'] };

test('a plan changes a webhook only as it was read, and stops at the first failure [CONFIG-4]', async () => {
  const calls: unknown[] = [];
  const { callInternal } = inProcessOperations({
    implementations: [
      implementInternal(configureWebhookOperation, async (step, { caller }) => {
        calls.push([caller, step]);
        if (step.kind === 'change' && step.change.description === 'edited meanwhile')
          throw new ServiceError('stale_version', 'changed');
        return { id: step.kind === 'create' ? 'whk_new' : step.id };
      }),
    ],
    callers: ['operator'],
  });
  const operator = { kind: 'operator', name: 'olga' } as const;
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
      callInternalFor: (of, operation, input) =>
        callInternal(operation, input, { caller: { ...operator, ...of } }),
      setContact: () => Promise.reject(new Error('not reached')),
    },
    { steps },
    new AbortController().signal,
  );
  const caller = { ...operator, companyId: 'cmp_1', companyClass: 'INSTALLER' };
  const read = { id: webhook.id, updatedAt: webhook.updatedAt };
  expect(calls).toEqual([
    [caller, { kind: 'create', webhook: { ...wanted, deliveriesPerSecond: 7 } }],
    [caller, { kind: 'change', ...read, change: { url: wanted.url } }],
    [caller, { kind: 'delete', ...read }],
    [caller, { kind: 'change', ...read, change: { description: 'edited meanwhile' } }],
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
