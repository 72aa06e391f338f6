import type { configureWebhookOperation } from '@partner/proto-contracts/internal/operators/webhooks';
import type { CallContext } from '@partner/kernel/amqp/implement';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { z } from 'zod';
import { callingActor } from '../../audit/actor.js';
import { createSubscription, type CreateSubscriptionDeps } from './create-subscription.js';
import { deleteSubscription } from './subscription-state.js';
import { updateSubscription } from './update-subscription.js';

/** The company that an operator configures. Fails with `permission_denied` for any other caller. */
export function configuredCompany({ caller, timeoutMs }: Pick<CallContext, 'caller' | 'timeoutMs'>) {
  const { companyId, companyClass } = { companyId: undefined, companyClass: undefined, ...caller };
  if (caller.kind === 'operator' && companyId !== undefined && companyClass !== undefined) {
    return { companyId, companyClass, actor: callingActor(caller), timeoutMs };
  }
  throw new ServiceError('permission_denied', 'caller: must be an operator who names a company');
}

/**
 * Applies one difference between a configuration file and the webhooks of a company, as `configureWebhookOperation` says.
 *
 * A creation with a rate is two transactions: after a crash between them the webhook has no rate, and the next plan has it.
 */
export async function configureWebhook(
  deps: CreateSubscriptionDeps,
  of: ReturnType<typeof configuredCompany>,
  step: z.output<typeof configureWebhookOperation.input>,
): Promise<{ readonly id: string }> {
  if (step.kind === 'create') {
    const { deliveriesPerSecond = null, ...fields } = step.webhook;
    const toCreate = { ...of, ...fields, uniqueDescription: true, dropsSecret: true };
    const { id } = (await createSubscription(deps, toCreate)).subscription;
    if (deliveriesPerSecond !== null) {
      await updateSubscription(deps, { ...of, subscriptionId: id, change: { deliveriesPerSecond } });
    }
    return { id };
  }
  const { id } = step;
  const read = { ...of, subscriptionId: id, expectedUpdatedAt: new Date(step.updatedAt) };
  if (step.kind === 'change') await updateSubscription(deps, { ...read, change: step.change });
  else await deleteSubscription(deps, read);
  return { id };
}
