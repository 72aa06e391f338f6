import type { Caller as CallingCaller } from '@partner/proto-contracts/call';
import type { configureWebhookOperation } from '@partner/proto-contracts/internal/operators/webhooks';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { z } from 'zod';
import { type Actor, callingActor } from '../../audit/actor.js';
import type { Caller } from './check-endpoint.js';
import { createSubscription, type CreateSubscriptionDeps } from './create-subscription.js';
import { deleteSubscription } from './subscription-state.js';
import { updateSubscription } from './update-subscription.js';

/** The company that a configuration file is applied to, and the operator who does it. */
interface ConfiguredCompany {
  readonly companyId: string;
  readonly companyClass: CompanyClassName;
  readonly actor: Actor;
}

/** Returns the company that an operator configures. Fails with `permission_denied` for any other caller. */
export function configuredCompany(caller: CallingCaller): ConfiguredCompany {
  const { companyId, companyClass } = { companyId: undefined, companyClass: undefined, ...caller };
  if (caller.kind === 'operator' && companyId !== undefined && companyClass !== undefined) {
    return { companyId, companyClass, actor: callingActor(caller) };
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
  { step, ...of }: ConfiguredCompany & { readonly step: z.output<typeof configureWebhookOperation.input> },
  caller: Caller,
): Promise<{ readonly id: string }> {
  if (step.kind === 'create') {
    const { deliveriesPerSecond = null, ...fields } = step.webhook;
    const toCreate = { ...of, ...fields, uniqueDescription: true, dropsSecret: true };
    const { id } = (await createSubscription(deps, toCreate, caller)).subscription;
    if (deliveriesPerSecond !== null) {
      await updateSubscription(deps, { ...of, subscriptionId: id, change: { deliveriesPerSecond } }, caller);
    }
    return { id };
  }
  const { id } = step;
  const read = { ...of, subscriptionId: id, expectedUpdatedAt: new Date(step.updatedAt) };
  if (step.kind === 'change') await updateSubscription(deps, { ...read, change: step.change }, caller);
  else await deleteSubscription(deps, read, { companyId: of.companyId, timeoutMs: caller.timeoutMs() });
  return { id };
}
