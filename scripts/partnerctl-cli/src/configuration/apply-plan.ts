import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { CompanyClassSchema } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { subscriptionCreated } from '@partner/proto-contracts/resources/subscription/subscription';
import { readResource } from '@partner/proto-contracts/resource-json';
import { enumValue } from '@partner/proto-contracts/values/enum-names';
import { interrupted } from '../poll-until.js';
import type { Session } from '../session.js';
import type { ConfigurationPlan, Step } from './plan-configuration.js';

/** Outcomes of applied steps, with the id of a new webhook. */
export type Outcomes = ReadonlyMap<
  Step,
  { readonly outcome: 'done' | 'failed' | 'not done'; readonly id?: string }
>;

/** What a plan needs to be applied. */
export interface ApplyDeps extends Pick<Session, 'subscriptions' | 'actor'> {
  /** Mails the link that confirms a technical contact. */
  readonly setContact: (companyId: string, email: string) => Promise<void>;
}

/**
 * Applies the steps of a plan in their order and stops at the first failure, or when the signal aborts (decision CONFIG-4). A plan that is made
 * afterwards has the rest. Never rejects.
 */
export async function applyPlan(
  deps: ApplyDeps,
  { steps }: Pick<ConfigurationPlan, 'steps'>,
  signal: AbortSignal,
): Promise<{ readonly outcomes: Outcomes; readonly failure: Error | undefined }> {
  const outcomes = new Map<Step, ReturnType<Outcomes['get']> & object>();
  let failure: Error | undefined;
  for (const step of steps) {
    if (step.kind === 'unlisted') continue;
    if (signal.aborted) failure ??= interrupted();
    if (failure !== undefined) {
      outcomes.set(step, { outcome: 'not done' });
      continue;
    }
    try {
      outcomes.set(step, { outcome: 'done', ...(await applyStep(deps, step)) });
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      outcomes.set(step, { outcome: 'failed' });
    }
  }
  return { outcomes, failure };
}

/** Applies one step. Resolves to the id of a new webhook; drops its secret. */
async function applyStep(
  { subscriptions, actor, setContact }: ApplyDeps,
  step: Exclude<Step, { readonly kind: 'unlisted' }>,
): Promise<{ readonly id?: string }> {
  const companyId = step.company.id;
  const companyClass = enumValue(CompanyClassSchema, step.company.class);
  switch (step.kind) {
    case 'create': {
      const { url, events, description, schemaVersion, deliveriesPerSecond } = step.wanted;
      const given = { companyId, companyClass, url, events, description, schemaVersion, actor };
      const response = await subscriptions.createSubscription({
        ...given,
        uniqueDescription: true,
        dropsSecret: true,
      });
      const { subscription } = readResource(subscriptionCreated, response);
      const { id } = subscription;
      const rate = rateOf(deliveriesPerSecond ?? undefined);
      if (rate !== undefined)
        await subscriptions.updateSubscription({ companyId, companyClass, subscriptionId: id, rate, actor });
      return { id };
    }
    case 'change': {
      const { id: subscriptionId, updatedAt } = step.webhook;
      const { events, deliveriesPerSecond, ...change } = step.change;
      await subscriptions.updateSubscription({
        ...{ companyId, companyClass, subscriptionId, actor, ...change },
        expectedUpdatedAt: timestampFromDate(new Date(updatedAt)),
        events: events && { patterns: events },
        rate: rateOf(deliveriesPerSecond),
      });
      return {};
    }
    case 'delete': {
      const { id: subscriptionId, updatedAt } = step.webhook;
      const expectedUpdatedAt = timestampFromDate(new Date(updatedAt));
      await subscriptions.deleteSubscription({ companyId, subscriptionId, actor, expectedUpdatedAt });
      return {};
    }
    case 'contact':
      await setContact(companyId, step.email);
      return {};
  }
}

/** Null: no rate; undefined: the rate stays. */
function rateOf(deliveriesPerSecond: number | null | undefined) {
  if (deliveriesPerSecond === undefined) return undefined;
  return deliveriesPerSecond === null ? {} : { perSecond: deliveriesPerSecond };
}
