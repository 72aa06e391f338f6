import type { configureWebhookOperation } from '@partner/proto-contracts/internal/operators/webhooks';
import type { CallContext } from '@partner/kernel/amqp/implement';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { z } from 'zod';
import { callingActor } from '../../audit/actor.js';
import { createSubscription, type CreateSubscriptionDeps } from './create-subscription.js';
import type { SubscriptionRow } from './subscription-resource.js';
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

type Step = z.output<typeof configureWebhookOperation.input>;

/** Applies one difference between a configuration file and the webhooks of a company, as `configureWebhookOperation` says. */
export async function configureWebhook(
  deps: CreateSubscriptionDeps,
  of: ReturnType<typeof configuredCompany>,
  step: Step,
): Promise<{ readonly id: string }> {
  const { subscription } = await applyStep(deps, of, step, { dropsSecret: true });
  return { id: subscription.id };
}

/**
 * Applies one difference, and returns the webhook; the secret of a new one, unless it is dropped.
 *
 * A creation with a rate is two transactions: after a crash between them the webhook has no rate, and the next plan has it.
 */
export async function applyStep(
  deps: CreateSubscriptionDeps,
  of: ReturnType<typeof configuredCompany>,
  step: Step,
  { dropsSecret }: { readonly dropsSecret: boolean },
): Promise<
  | { readonly subscription: SubscriptionRow; readonly secret: string | undefined }
  | { readonly subscription: Pick<SubscriptionRow, 'id'>; readonly secret?: undefined }
> {
  if (step.kind === 'create') {
    const { deliveriesPerSecond = null, ...fields } = step.webhook;
    const created = await createSubscription(deps, {
      ...of,
      ...fields,
      uniqueDescription: true,
      dropsSecret,
    });
    const { id } = created.subscription;
    const subscription =
      deliveriesPerSecond === null
        ? created.subscription
        : await updateSubscription(deps, { ...of, subscriptionId: id, change: { deliveriesPerSecond } });
    return { subscription, secret: dropsSecret ? undefined : created.secret };
  }
  const read = { ...of, subscriptionId: step.id, expectedUpdatedAt: new Date(step.updatedAt) };
  if (step.kind === 'change') await updateSubscription(deps, { ...read, change: step.change });
  else await deleteSubscription(deps, read);
  return { subscription: { id: step.id } };
}
