import { configureWebhookOperation } from '@partner/proto-contracts/internal/operators/webhooks';
import { interrupted } from '../poll-until.js';
import type { Session } from '../session.js';
import type { ConfigurationPlan, Step } from './plan-configuration.js';

/** Outcomes of applied steps, with the id of a new webhook. */
export type Outcomes = ReadonlyMap<
  Step,
  { readonly outcome: 'done' | 'failed' | 'not done'; readonly id?: string }
>;

export interface ApplyDeps extends Pick<Session, 'callInternalFor'> {
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

/** Applies one step. Resolves to the id of a new webhook; no one gets its secret. */
async function applyStep(
  { callInternalFor, setContact }: ApplyDeps,
  step: Exclude<Step, { readonly kind: 'unlisted' }>,
): Promise<{ readonly id?: string }> {
  const of = { companyId: step.company.id, companyClass: step.company.class };
  switch (step.kind) {
    case 'create': {
      const { kind, wanted } = step;
      return callInternalFor(of, configureWebhookOperation, { kind, webhook: wanted });
    }
    case 'change':
    case 'delete': {
      const { id, updatedAt } = step.webhook;
      const read = { id, updatedAt };
      await callInternalFor(
        of,
        configureWebhookOperation,
        step.kind === 'change'
          ? { kind: 'change', ...read, change: step.change }
          : { kind: 'delete', ...read },
      );
      return {};
    }
    case 'contact':
      await setContact(of.companyId, step.email);
      return {};
  }
}
