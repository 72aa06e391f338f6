import type { Company } from '@partner/proto-contracts/resources/company/company';
import type { Subscription } from '@partner/proto-contracts/resources/subscription/subscription';
import type { TechnicalContact } from '@partner/proto-contracts/resources/technical-contact/technical-contact';
import {
  planWebhooks,
  type WebhookStep,
} from '@partner/proto-contracts/resources/webhook-proposal/plan-webhooks';
import type { FieldViolation } from '@partner/kernel/process/service-error';
import type { Configuration } from './configuration-file.js';

export interface CompanyState {
  readonly company: Pick<Company, 'id' | 'name' | 'class'>;
  readonly webhooks: readonly Subscription[];
  readonly contact: TechnicalContact;
}

export type Step = { readonly company: CompanyState['company'] } & (
  | WebhookStep<Subscription>
  | { readonly kind: 'contact'; readonly email: string; readonly former: string | null }
);

/** The differences, in the order of the file, and the number of webhooks and contacts without any. */
export interface ConfigurationPlan {
  readonly steps: readonly Step[];
  readonly unchanged: number;
  /** Why parts of the file cannot be applied; then the steps are incomplete. */
  readonly violations: readonly FieldViolation[];
}

/**
 * Compares a file with what exists, without effects (decisions CONFIG-1 and CONFIG-2). With `prune`, webhooks that the file does not have are to be
 * deleted. A company without a state does not exist.
 */
export function planConfiguration(
  { companies }: Configuration,
  states: ReadonlyMap<string, CompanyState>,
  { prune }: { readonly prune: boolean },
): ConfigurationPlan {
  const steps: Step[] = [];
  const violations: FieldViolation[] = [];
  let unchanged = 0;
  for (const [id, { technicalContact, webhooks }] of Object.entries(companies)) {
    const state = states.get(id);
    if (state === undefined) {
      violations.push({ path: `companies.${id}`, message: 'must be the id of a company that exists' });
      continue;
    }
    const { company, contact } = state;
    if (technicalContact !== undefined) {
      if ([contact.email, contact.pending?.email].includes(technicalContact)) unchanged += 1;
      else steps.push({ company, kind: 'contact', email: technicalContact, former: contact.email });
    }
    if (webhooks === undefined) continue;
    const of = { companyClass: company.class, prune, place: `companies.${id}.webhooks` };
    const plan = planWebhooks(webhooks, state.webhooks, of);
    steps.push(...plan.steps.map((step): Step => ({ company, ...step })));
    violations.push(...plan.violations);
    unchanged += plan.unchanged;
  }
  return { steps, unchanged, violations };
}
