import type { SubscriptionCreated } from '@partner/proto-contracts/resources/subscription/subscription';
import type { WebhookProposalConfirmed } from '@partner/proto-contracts/resources/webhook-proposal/webhook-proposal';
import type { OperationRequest } from '@partner/kernel/amqp/implement';
import { ServiceError } from '@partner/kernel/process/service-error';
import { invalidArgument } from '@partner/kernel/process/validation';
import { lockCompany } from '../../access/lock-company.js';
import { callingOwner } from '../../audit/actor.js';
import { queryWithin } from '../../database/database.js';
import { checkPlan } from './check-plan.js';
import { applyStep } from './configure-webhook.js';
import type { CreateSubscriptionDeps } from './create-subscription.js';
import { listSubscriptions, lockSubscriptions } from './get-subscription.js';
import {
  decideProposal,
  findProposal,
  lockProposal,
  planProposal,
  type ProposalPlan,
  type ProposalRow,
  refuseUnlessPending,
  shownProposal,
} from './proposal-record.js';
import { shownSubscription, type SubscriptionRow } from './subscription-resource.js';

/**
 * Makes all changes of a proposal in one transaction, if they are still those that the owner saw.
 *
 * Fails with `stale_version` if they are others or the proposal is not pending, and as each of the changes does by hand. URLs are checked
 * before the transaction, since that can take seconds. Locks: the company, its subscriptions in the order of their ids, the proposal.
 */
export async function confirmProposal(
  deps: CreateSubscriptionDeps,
  request: OperationRequest<unknown, { readonly digest: string }, 'id'>,
): Promise<WebhookProposalConfirmed> {
  const { companyId, companyClass, timeoutMs } = request;
  const of = { companyId, companyClass, actor: callingOwner(request.caller), timeoutMs };
  const now = deps.clock();
  const seenPlan = (row: ProposalRow, existing: readonly SubscriptionRow[]) => {
    refuseUnlessPending(row, now);
    const plan = planProposal(row, existing, companyClass);
    if (plan.violations.length > 0) throw invalidArgument(plan.violations);
    if (plan.digest === request.body.digest) return plan;
    throw new ServiceError('stale_version', 'the proposal would change something else now; read it again');
  };
  const limits = () => ({ companyId, timeoutMs: timeoutMs() });
  const database = queryWithin(deps.database, limits());
  const seen = seenPlan(await findProposal(database, request), await listSubscriptions(database, companyId));
  const endpoints = await checkPlan(deps, seen, request);
  const logged: Parameters<CreateSubscriptionDeps['logger']['info']>[] = [];
  const confirmed = await deps.database.transaction(async (tx) => {
    await lockCompany(tx, companyId);
    const existing = await lockSubscriptions(tx, companyId);
    const { id, ...row } = await lockProposal(tx, request);
    const { steps, differences: filed } = seenPlan({ id, ...row }, existing);
    const inside: CreateSubscriptionDeps = {
      ...{ ...deps, endpoints },
      database: { query: tx.query, transaction: async (work) => work(tx) },
      // After the commit.
      logger: { info: (...line: (typeof logged)[number]) => void logged.push(line) },
    };
    const created: SubscriptionCreated[] = [];
    for (const step of steps) {
      if (step.kind === 'unlisted') continue;
      const applied = await applyStep(inside, of, stepOf(step), { dropsSecret: false });
      if (applied.secret === undefined) continue;
      created.push({ subscription: shownSubscription(applied.subscription), secret: applied.secret });
    }
    const decided = await decideProposal(tx, request, { id, state: 'confirmed', filed, now });
    return { proposal: shownProposal(decided, now), created };
  }, limits());
  for (const line of logged) deps.logger.info(...line);
  return confirmed;
}

function stepOf(step: Exclude<ProposalPlan['steps'][number], { readonly kind: 'unlisted' }>) {
  if (step.kind === 'create') return { kind: step.kind, webhook: step.wanted };
  const read = { id: step.webhook.id, updatedAt: step.webhook.updatedAt.toISOString() };
  return step.kind === 'change'
    ? { ...read, kind: step.kind, change: step.change }
    : { ...read, kind: step.kind };
}
