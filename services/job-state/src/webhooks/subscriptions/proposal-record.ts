import { createHash } from 'node:crypto';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { formatDateTime, formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';
import {
  differencesOf,
  planWebhooks,
} from '@partner/proto-contracts/resources/webhook-proposal/plan-webhooks';
import {
  PROPOSAL_LIMITS,
  type WebhookDifference,
  webhookPlanIn,
  type WebhookProposal,
} from '@partner/proto-contracts/resources/webhook-proposal/webhook-proposal';
import type { OperationRequest } from '@partner/kernel/amqp/implement';
import { invariant } from '@partner/kernel/process/invariant';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import { validate } from '@partner/kernel/process/validation';
import { callingActor, callingOwner } from '../../audit/actor.js';
import { recordAudit } from '../../audit/record-audit.js';
import type { Queryable, Transaction } from '../../database/database.js';
import { pathId } from '../../rpc/path-id.js';
import type { SubscriptionRow } from './subscription-resource.js';

export interface ProposalRow {
  readonly id: string;
  readonly keyId: string;
  readonly source: string | null;
  /** The webhooks of the file as JSON. */
  readonly wanted: string;
  readonly prune: boolean;
  /** What they would have changed when they were proposed, or changed when they were confirmed. */
  readonly filed: readonly WebhookDifference[];
  /** `expired` once its key has ended or was revoked before an owner decided. */
  readonly state: 'pending' | 'confirmed' | 'rejected' | 'expired';
  readonly createdAt: Date;
  readonly decidedAt: Date | null;
  readonly decidedBy: string | null;
}

/** What a list shows of a proposal, from `webhook_proposals p`. */
export const PROPOSAL_SUMMARY = `p.id, p.key_id as "keyId", p.source, case when p.state = 'pending' and exists (
    select from api_keys k where k.id = p.key_id and (k.revoked_at is not null or k.expires_at <= now())
  ) then 'expired' else p.state end as state,
  p.created_at as "createdAt", p.decided_at as "decidedAt", (
    select m.display_name from memberships m where m.id = p.decided_by and m.company_id = p.company_id
  ) as "decidedBy"`;

/** Columns of a {@link ProposalRow}. */
export const PROPOSAL_COLUMNS = `${PROPOSAL_SUMMARY}, p.wanted, p.prune, p.filed`;

/** Reads one proposal. Another company's is `not_found`, like one that does not exist. */
export async function findProposal(
  database: Queryable,
  { companyId, params }: Pick<OperationRequest<unknown, unknown, 'id'>, 'companyId' | 'params'>,
  lock = '',
): Promise<ProposalRow> {
  const [row] = await database.query<ProposalRow>(
    `select ${PROPOSAL_COLUMNS} from webhook_proposals p where p.id = $1 and p.company_id = $2 ${lock}`,
    [pathId('wpr', params.id, 'proposal'), companyId],
  );
  if (row === undefined) throw notFound('proposal');
  return row;
}

export function lockProposal(tx: Transaction, request: Parameters<typeof findProposal>[1]) {
  return findProposal(tx, request, 'for no key update of p');
}

export type ProposalPlan = ReturnType<typeof planProposal>;

/** Plans what is stored of a file. One that this version does not accept any more has violations, and no steps. */
export function planProposal(
  { wanted, prune }: Pick<ProposalRow, 'wanted' | 'prune'>,
  existing: readonly SubscriptionRow[],
  companyClass: CompanyClassName,
) {
  const webhooks: unknown = JSON.parse(wanted);
  const stored = validate(webhookPlanIn, { webhooks }, 'file');
  const plan = stored.valid
    ? planWebhooks(stored.value.webhooks, existing, { companyClass, prune, place: 'webhooks' })
    : { steps: [], unchanged: 0, violations: stored.violations };
  const differences = differencesOf(plan.steps);
  const digest = createHash('sha256').update(JSON.stringify(differences)).digest('base64url');
  return { ...plan, differences, digest };
}

export type ProposalSummary = Omit<ProposalRow, 'wanted' | 'prune' | 'filed'>;

export function shownProposal(row: ProposalSummary, now: Date): WebhookProposal {
  const { id, keyId, source, createdAt, decidedBy } = row;
  const expiresAt = new Date(createdAt.getTime() + PROPOSAL_LIMITS.days * 86_400_000);
  return {
    id,
    state: row.state === 'pending' && expiresAt <= now ? 'expired' : row.state,
    ...{ keyId, source },
    createdAt: formatDateTime(createdAt),
    expiresAt: formatDateTime(expiresAt),
    decidedAt: formatOptionalDateTime(row.decidedAt),
    decidedBy,
    consolePath: `/console/webhooks/proposals/${id}`,
  };
}

export function refuseUnlessPending(row: ProposalRow, now: Date): void {
  const { state } = shownProposal(row, now);
  if (state !== 'pending') throw new ServiceError('stale_version', `the proposal is ${state}; read it again`);
}

type Request = Pick<OperationRequest<unknown, unknown>, 'companyId' | 'caller'>;

/** Records the decision of the owner who calls about a locked proposal. */
export async function decideProposal(
  tx: Transaction,
  request: Request,
  decision: Pick<ProposalRow, 'id' | 'filed'> & {
    readonly state: 'confirmed' | 'rejected';
    readonly now: Date;
  },
): Promise<ProposalRow> {
  const { id, filed, state, now } = decision;
  const [row] = await tx.query<ProposalRow>(
    `update webhook_proposals p set state = $2, filed = $3, decided_at = $4, decided_by = $5
     where p.id = $1 returning ${PROPOSAL_COLUMNS}`,
    [id, state, JSON.stringify(filed), now, callingOwner(request.caller).membershipId],
  );
  invariant(row, 'the locked row exists');
  await recordProposal(tx, request, row, state);
  return row;
}

/** Adds what was done with a proposal to the audit trail. */
export function recordProposal(
  tx: Queryable,
  { companyId, caller }: Request,
  { id: proposalId, keyId, source }: Pick<ProposalRow, 'id' | 'keyId' | 'source'>,
  done: 'filed' | 'confirmed' | 'rejected' | 'withdrawn',
): Promise<void> {
  return recordAudit(tx, {
    companyId,
    actor: callingActor(caller),
    action: `webhook_proposal.${done}`,
    subject: { type: 'api_key', id: keyId },
    details: { proposalId, source },
  });
}
