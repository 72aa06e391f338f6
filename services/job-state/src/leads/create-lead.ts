import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  LeadCreatedSchema,
  LeadMergedSchema,
} from '@partner/proto-contracts/gen/partner/leads/v1/lead_service_pb';
import type { leadIn } from '@partner/proto-contracts/resources/lead/lead';
import { createLeadOperation } from '@partner/proto-contracts/resources/lead/operations';
import { PARTNER_EVENTS } from '@partner/proto-contracts/topology';
import { implement } from '@partner/kernel/amqp/implement';
import { newId } from '@partner/kernel/process/ids';
import { z } from 'zod';
import { columnArrays, columnNames, unnestColumns } from '../database/columns.js';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Transaction } from '../database/database.js';
import { isTaken } from '../database/server-failures.js';
import { LEAD } from '../database/lead-columns.js';
import { runIdempotent, type WriteDeps } from '../idempotency/run-idempotent.js';
import { enqueueMessage } from '../outbox/enqueue-message.js';
import { normaliseAddress } from './address-key/normalise-address.js';

const leadResult = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('created'), leadId: z.string(), projectId: z.string() }),
  z.object({ kind: z.literal('merged'), leadId: z.string(), projectId: z.string(), reason: z.string() }),
]);

type LeadResult = z.infer<typeof leadResult>;

/** A lead as a sales company submits it, with the company (spec: LeadIn). */
type LeadSubmission = z.infer<typeof leadIn> & { readonly companyId: string };

/**
 * Creates a lead and its project, or merges the submission into those at the same normalised address (spec: Inbound, rule).
 *
 * A merge keeps the first lead's fields and records the later submission. A project without a lead gets one from the
 * submission. Two concurrent submissions for one address create one lead: the unique key of projects makes the second one wait
 * for the first and begin again.
 *
 * One transaction holds the lead, the project or the submission, the message to the platform, and the outcome of the
 * idempotency key. Locks: the key's row, then the project.
 */
export const createLead = (deps: WriteDeps) =>
  implement(createLeadOperation, async ({ companyId, body, idempotencyKey, timeoutMs }) => {
    const submission = { companyId, ...body };
    const addressKey = normaliseAddress(body.address);
    const { result, idempotency } = await retryTakenAddress(() =>
      runIdempotent(deps, {
        companyId,
        binding: idempotencyKey,
        timeoutMs: timeoutMs(),
        result: leadResult,
        load: async (tx) => (await tx.query<ProjectRow>(LOCK_PROJECT, [companyId, addressKey]))[0],
        work: (tx, project) => ({
          kind: 'done',
          result:
            project === undefined
              ? insertLead(tx, submission, { addressKey, now: deps.clock() })
              : mergeLead(tx, submission, { project, now: deps.clock() }),
        }),
      }),
    );
    const { kind, ...lead } = result;
    const { leadId, projectId } = lead;
    deps.logger.info(
      { companyId, leadId, projectId, replayed: idempotency?.replayed ?? false },
      `lead.${kind}`,
    );
    return {
      status: kind === 'created' ? 201 : 200,
      json: JSON.stringify({ status: kind, ...lead }),
      idempotency,
    };
  });

/**
 * Runs a transaction that may create a project at an address, and once more if another transaction has taken the address since
 * it was looked up.
 *
 * The other transaction is committed by then, so the second run finds its project.
 */
export async function retryTakenAddress<T>(transaction: () => Promise<T>): Promise<T> {
  try {
    return await transaction();
  } catch (error) {
    if (isTaken(error, 'projects_address_key_key')) return transaction();
    throw error;
  }
}

interface ProjectRow {
  readonly id: string;
  readonly lead_id: string | null;
}

const LOCK_PROJECT: PreparedStatement = {
  name: 'lock-project-at-address',
  text: 'select id, lead_id from projects where company_id = $1 and address_key = $2 for no key update',
};

/** Inserts a lead with the id $1, the company $2 and the time $3. Its fields are the parameters from `first` on. */
const leadFrom = (first: number) => `
  insert into leads (id, company_id, created_at, ${columnNames(LEAD)})
  select $1, $2, $3, lead.* from ${unnestColumns(LEAD, 'lead', first)}`;

const INSERT_LEAD: PreparedStatement = {
  name: 'insert-lead',
  text: `with project as (
       insert into projects (id, company_id, lead_id, address_key, created_at) values ($4, $2, $1, $5, $3)
     ) ${leadFrom(6)}`,
};

function insertLead(
  tx: Transaction,
  submission: LeadSubmission,
  { addressKey, now }: { readonly addressKey: string; readonly now: Date },
): LeadResult {
  const { companyId } = submission;
  const leadId = newId('lead');
  const projectId = newId('prj');
  const fields = columnArrays(LEAD, [submission]);
  void tx.query(INSERT_LEAD, [leadId, companyId, now, projectId, addressKey, ...fields]);
  enqueueMessage(tx, {
    exchange: PARTNER_EVENTS,
    schema: LeadCreatedSchema,
    message: { leadId, projectId, createdAt: timestampFromDate(now), ...submission },
  });
  return { kind: 'created', leadId, projectId };
}

function mergeLead(
  tx: Transaction,
  submission: LeadSubmission,
  { project, now }: { readonly project: ProjectRow; readonly now: Date },
): LeadResult {
  const { companyId } = submission;
  const fields = columnArrays(LEAD, [submission]);
  const projectId = project.id;
  const leadId = project.lead_id ?? newId('lead');
  const known = project.lead_id === null ? `project ${projectId}` : `lead ${leadId}`;
  const reason = `address matches ${known}`;
  if (project.lead_id === null) {
    void tx.query(`with lead as (${leadFrom(5)}) update projects set lead_id = $1 where id = $4`, [
      leadId,
      companyId,
      now,
      projectId,
      ...fields,
    ]);
  } else {
    void tx.query(
      `insert into lead_submissions (lead_id, submitted_at, ${columnNames(LEAD)})
       select $1, $2, lead.* from ${unnestColumns(LEAD, 'lead', 3)}`,
      [leadId, now, ...fields],
    );
  }
  enqueueMessage(tx, {
    exchange: PARTNER_EVENTS,
    schema: LeadMergedSchema,
    message: { leadId, projectId, reason, submittedAt: timestampFromDate(now), ...submission },
  });
  return { kind: 'merged', leadId, projectId, reason };
}
