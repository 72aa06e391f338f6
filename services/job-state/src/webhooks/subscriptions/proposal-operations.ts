import { isDeepStrictEqual } from 'node:util';
import { configuredOf } from '@partner/proto-contracts/resources/webhook-proposal/plan-webhooks';
import * as operations from '@partner/proto-contracts/resources/webhook-proposal/operations';
import {
  PROPOSAL_LIMITS,
  type WebhookDifference,
  type WebhookPlan,
  type WebhookProposalDetail,
} from '@partner/proto-contracts/resources/webhook-proposal/webhook-proposal';
import { shortUrl } from '@partner/proto-contracts/values/short-url';
import { type Implementation, implement, type OperationRequest } from '@partner/kernel/amqp/implement';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { ServiceError } from '@partner/kernel/process/service-error';
import { invalidArgument } from '@partner/kernel/process/validation';
import { noticeToOwners } from '../../access/colleagues/queue-notices.js';
import { lockCompany } from '../../access/lock-company.js';
import { callingActor } from '../../audit/actor.js';
import { type Queryable, queryWithin, type Transaction } from '../../database/database.js';
import type { Endpoints } from './check-endpoint.js';
import { checkPlan } from './check-plan.js';
import { confirmProposal } from './confirm-proposal.js';
import type { CreateSubscriptionDeps } from './create-subscription.js';
import { listSubscriptions } from './get-subscription.js';
import {
  decideProposal,
  findProposal,
  lockProposal,
  planProposal,
  PROPOSAL_COLUMNS,
  PROPOSAL_SUMMARY,
  type ProposalPlan,
  type ProposalRow,
  type ProposalSummary,
  recordProposal,
  refuseUnlessPending,
  shownProposal,
} from './proposal-record.js';
import type { SubscriptionRow } from './subscription-resource.js';

interface FileBody {
  readonly webhooks: readonly unknown[];
  readonly prune?: boolean | undefined;
  readonly source?: string | undefined;
}

type Filed = Pick<
  OperationRequest<unknown, FileBody>,
  'companyId' | 'companyClass' | 'caller' | 'body' | 'timeoutMs'
>;

/**
 * The operations with which API keys propose webhooks, and owners decide. A key changes nothing: what it proposes is planned again when an
 * owner reads it, and when one confirms it.
 */
export function proposalOperations(
  deps: CreateSubscriptionDeps,
  endpointsOf: (companyId: string) => Endpoints,
): readonly Implementation[] {
  const limitsOf = ({ companyId, timeoutMs }: Pick<Filed, 'companyId' | 'timeoutMs'>) => ({
    companyId,
    timeoutMs: timeoutMs(),
  });
  const depsOf = ({ companyId }: Pick<Filed, 'companyId'>) => ({
    ...deps,
    endpoints: endpointsOf(companyId),
  });
  const shown = (row: ProposalSummary) => shownProposal(row, deps.clock());
  const planned = ({ differences, unchanged }: ProposalPlan, row: ProposalRow | undefined) => {
    const proposal = row === undefined ? null : shown(row);
    const plan = { differences: differences.map(withoutPresentUrl), unchanged, proposal };
    return { json: JSON.stringify(plan satisfies WebhookPlan) };
  };
  return [
    implement(operations.exportWebhooksOperation, async (request) => {
      const database = queryWithin(deps.database, limitsOf(request));
      const rows = await listSubscriptions(database, request.companyId);
      const webhooks = rows.map((row) => configuredOf({ ...row, url: shortUrl(row.url) }));
      return { json: JSON.stringify({ webhooks }) };
    }),

    implement(operations.planWebhooksOperation, async (request) => {
      const database = queryWithin(deps.database, limitsOf(request));
      const plan = validPlan(request, await listSubscriptions(database, request.companyId));
      await checkPlan(depsOf(request), plan, request);
      return planned(plan, await findSame(database, request));
    }),

    implement(operations.proposeWebhooksOperation, async (request) => {
      const database = queryWithin(deps.database, limitsOf(request));
      const seen = validPlan(request, await listSubscriptions(database, request.companyId));
      // Before the transaction, since that can take seconds. The confirmation checks again.
      await checkPlan(depsOf(request), seen, request);
      const { plan, row } = await deps.database.transaction(async (tx) => {
        await lockCompany(tx, request.companyId);
        const found = validPlan(request, await listSubscriptions(tx, request.companyId));
        return { plan: found, row: await propose(tx, request, found, deps.clock()) };
      }, limitsOf(request));
      return planned(plan, row);
    }),

    implement(operations.listWebhookProposalsOperation, async (request) => {
      const rows = await deps.database.query<ProposalSummary>(
        `select ${PROPOSAL_SUMMARY} from webhook_proposals p where p.company_id = $1
         order by p.created_at desc, p.id desc limit ${PROPOSAL_LIMITS.listed}`,
        [request.companyId],
        limitsOf(request),
      );
      return { json: JSON.stringify({ proposals: rows.map(shown) }) };
    }),

    implement(operations.getWebhookProposalOperation, async (request) => {
      const { companyId, companyClass, caller } = request;
      const database = queryWithin(deps.database, limitsOf(request));
      const row = await findProposal(database, request);
      const proposal = shown(row);
      const { filed } = row;
      const { differences, digest, violations } =
        proposal.state === 'pending'
          ? planProposal(row, await listSubscriptions(database, companyId), companyClass)
          : { differences: filed, digest: '', violations: [] };
      const isViewer = caller.kind === 'owner' && caller.role !== 'owner';
      const visible = (list: readonly WebhookDifference[]) =>
        isViewer ? list.map((each) => withoutUrls(each)) : [...list];
      const detail: WebhookProposalDetail = {
        ...proposal,
        differences: visible(differences),
        changedSince: visible(without(differences, filed)),
        settledSince: visible(without(filed, differences)),
        problems: violations.map(({ path, message }) => `${path}: ${message}`),
        digest,
      };
      return { json: JSON.stringify(detail) };
    }),

    implement(operations.confirmWebhookProposalOperation, async (request) => ({
      json: JSON.stringify(await confirmProposal(depsOf(request), request)),
    })),

    implement(operations.rejectWebhookProposalOperation, async (request) => {
      const row = await deps.database.transaction(async (tx) => {
        const found = await lockProposal(tx, request);
        if (found.state === 'rejected') return found;
        const now = deps.clock();
        refuseUnlessPending(found, now);
        return decideProposal(tx, request, { ...found, state: 'rejected', now });
      }, limitsOf(request));
      return { json: JSON.stringify(shown(row)) };
    }),
  ];
}

const stored = ({ webhooks, prune = false }: Filed['body']) => ({ wanted: JSON.stringify(webhooks), prune });

/** Plans the file of a request. Fails with `invalid_argument` and every violation. */
function validPlan({ companyClass, body }: Filed, existing: readonly SubscriptionRow[]): ProposalPlan {
  const plan = planProposal(stored(body), existing, companyClass);
  if (plan.violations.length > 0) throw invalidArgument(plan.violations);
  return plan;
}

/** Returns the key that calls. Fails with `permission_denied` for any other caller. */
function callingKey({ caller }: Filed): string {
  if (caller.kind === 'key') return caller.keyId;
  throw new ServiceError('permission_denied', `caller: must be an API key, not a ${caller.kind}`);
}

/** The newest proposal of the same webhooks by the key that calls, unless it was confirmed. */
async function findSame(database: Queryable, request: Filed): Promise<ProposalRow | undefined> {
  const { wanted, prune } = stored(request.body);
  const [row] = await database.query<ProposalRow>(
    `select ${PROPOSAL_COLUMNS} from webhook_proposals p
     where p.company_id = $1 and p.key_id = $2 and p.wanted = $3 and p.prune = $4 and p.state <> 'confirmed'
     order by p.created_at desc, p.id desc limit 1`,
    [request.companyId, callingKey(request), wanted, prune],
  );
  return row;
}

/** Files, keeps or withdraws the pending proposal of the key that calls, under the lock of its company. */
async function propose(
  tx: Transaction,
  request: Filed,
  { steps, differences }: ProposalPlan,
  now: Date,
): Promise<ProposalRow | undefined> {
  const { companyId, body } = request;
  const keyId = callingKey(request);
  if (steps.every(({ kind }) => kind === 'unlisted')) {
    const [withdrawn] = await tx.query<Pick<ProposalRow, 'id' | 'keyId' | 'source'>>(
      `delete from webhook_proposals where key_id = $1 and state = 'pending' returning id, key_id as "keyId", source`,
      [keyId],
    );
    if (withdrawn !== undefined) await recordProposal(tx, request, withdrawn, 'withdrawn');
    return undefined;
  }
  const same = await findSame(tx, request);
  if (same !== undefined && shownProposal(same, now).state === 'pending') return same;
  const { wanted, prune } = stored(body);
  const [row] = await tx.query<ProposalRow>(
    `insert into webhook_proposals as p (id, company_id, key_id, source, wanted, prune, filed, state, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, 'pending', $8)
     on conflict (key_id) where state = 'pending' do update set
       source = excluded.source, wanted = excluded.wanted, prune = excluded.prune, filed = excluded.filed,
       created_at = excluded.created_at
     returning ${PROPOSAL_COLUMNS}`,
    [newId('wpr'), companyId, keyId, body.source, wanted, prune, JSON.stringify(differences), now],
  );
  invariant(row, 'an insert gives its row');
  await recordProposal(tx, request, row, 'filed');
  const { source } = row;
  await noticeToOwners(tx, {
    companyId,
    kind: 'webhooks_proposed',
    subjectId: keyId,
    actor: callingActor(request.caller),
    details: { proposalId: row.id, plan: planText(differences), ...(source !== null && { source }) },
  });
  return row;
}

/** Characters of a plan in an email. */
const MAX_PLAN_LENGTH = 10_000;

function planText(differences: readonly WebhookDifference[]): string {
  const lines = differences
    .filter(({ kind }) => kind !== 'unlisted')
    .map((each) => withoutUrls(each))
    .flatMap(({ kind, description, changes }) => [
      `${kind} "${description}"`,
      ...changes.map(({ field, from, to }) => {
        return `  ${field}: ${[from, to].filter((value) => value !== null).join(' -> ')}`;
      }),
    ]);
  const text = lines.map((line) => line.replaceAll(/\p{Cc}/gu, ' ')).join('\n');
  if (text.length <= MAX_PLAN_LENGTH) return text;
  return `${text.slice(0, Math.max(0, text.lastIndexOf('\n', MAX_PLAN_LENGTH)))}\n…`;
}

function without(differences: readonly WebhookDifference[], others: readonly WebhookDifference[]) {
  return differences.filter((each) => !others.some((other) => isDeepStrictEqual(each, other)));
}

/** A key sees no whole URL but those of its file. */
const withoutPresentUrl = (difference: WebhookDifference) => withoutUrls(difference, (url) => url);

/** A viewer, and a reader of an email, sees none. */
function withoutUrls(
  difference: WebhookDifference,
  wantedUrl: (url: string) => string = shortUrl,
): WebhookDifference {
  return {
    ...difference,
    changes: difference.changes.map(({ field, from, to }) =>
      field === 'url'
        ? { field, from: from && shortUrl(from), to: to && wantedUrl(to) }
        : { field, from, to },
    ),
  };
}
