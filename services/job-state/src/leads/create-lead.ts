import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  LeadCreatedSchema,
  LeadMergedSchema,
} from '@partner/proto-contracts/gen/partner/leads/v1/lead_service_pb';
import { PARTNER_EVENTS } from '@partner/proto-contracts/topology';
import { newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import type { Logger } from '@partner/kernel/logger';
import type { IdempotencyMark } from '@partner/kernel/service-error';
import { z } from 'zod';
import type { Database, Transaction } from '../database/database.js';
import { type IdempotencyBinding, runIdempotent } from '../idempotency/run-idempotent.js';
import { enqueueMessage } from '../outbox/enqueue-message.js';
import { normaliseAddress } from './normalise-address.js';

/** A lead as a sales company submits it (spec: LeadIn). */
export interface LeadSubmission {
  readonly companyId: string;
  readonly binding: IdempotencyBinding | undefined;
  readonly fullName: string;
  readonly email: string;
  readonly phone: string;
  readonly address: string;
  /** Null: not asked. */
  readonly smsConsent: boolean | null;
  /** Time until the caller's deadline, in ms. */
  readonly timeoutMs: number | undefined;
}

const leadResult = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('created'), leadId: z.string(), projectId: z.string() }),
  z.object({ kind: z.literal('merged'), leadId: z.string(), projectId: z.string(), reason: z.string() }),
]);

/** Outcome of a submission. */
export type LeadResult = z.infer<typeof leadResult>;

/**
 * Creates a lead and its project, or merges the submission into those at the same normalised address (spec: Inbound, rule).
 *
 * A merge keeps the first lead's fields and records the later submission. A project without a lead gets one from the
 * submission. Two concurrent submissions for one address create one lead: the unique key of projects makes the second one wait
 * for the first.
 *
 * One transaction holds the lead, the project or the submission, the message to the platform, and the outcome of the
 * idempotency key. Locks: the key's row, then the project.
 */
export async function createLead(
  deps: {
    readonly database: Pick<Database, 'transaction'>;
    readonly clock: () => Date;
    readonly logger: Logger;
  },
  submission: LeadSubmission,
): Promise<{ readonly result: LeadResult; readonly idempotency: IdempotencyMark | undefined }> {
  const settled = await runIdempotent(deps, {
    companyId: submission.companyId,
    binding: submission.binding,
    timeoutMs: submission.timeoutMs,
    result: leadResult,
    work: async (tx) => ({ kind: 'done', result: await createOrMerge(tx, submission, deps.clock()) }),
  });
  const { kind, leadId, projectId } = settled.result;
  deps.logger.info(
    { companyId: submission.companyId, leadId, projectId, replayed: settled.idempotency?.replayed ?? false },
    `lead.${kind}`,
  );
  return settled;
}

async function createOrMerge(tx: Transaction, submission: LeadSubmission, now: Date): Promise<LeadResult> {
  const { companyId, fullName, email, phone, address, smsConsent } = submission;
  const addressKey = normaliseAddress(address);
  const newLeadId = newId('lead');
  const newProjectId = newId('prj');
  const created = await tx.query(
    `with project as (
       insert into projects (id, company_id, lead_id, address_key, created_at) values ($1, $2, $3, $4, $5)
       on conflict (company_id, address_key) do nothing
       returning lead_id, company_id, created_at
     )
     insert into leads (id, company_id, full_name, email, phone, address, sms_consent, created_at)
     select lead_id, company_id, $6, $7, $8, $9, $10, created_at from project
     returning id`,
    [newProjectId, companyId, newLeadId, addressKey, now, fullName, email, phone, address, smsConsent],
  );
  const person = { fullName, email, phone, address, ...(smsConsent === null ? {} : { smsConsent }) };
  if (created.length > 0) {
    await enqueueMessage(tx, {
      exchange: PARTNER_EVENTS,
      schema: LeadCreatedSchema,
      message: {
        leadId: newLeadId,
        projectId: newProjectId,
        companyId,
        createdAt: timestampFromDate(now),
        ...person,
      },
    });
    return { kind: 'created', leadId: newLeadId, projectId: newProjectId };
  }

  const [project] = await tx.query<{ id: string; lead_id: string | null }>(
    'select id, lead_id from projects where company_id = $1 and address_key = $2 for no key update',
    [companyId, addressKey],
  );
  invariant(project, 'a project that conflicts with an insert exists');
  const leadId = project.lead_id ?? newLeadId;
  const projectId = project.id;
  const reason =
    project.lead_id === null
      ? `address matches project ${projectId}`
      : `address matches lead ${project.lead_id}`;
  if (project.lead_id === null) {
    await tx.query(
      `with lead as (
         insert into leads (id, company_id, full_name, email, phone, address, sms_consent, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
       )
       update projects set lead_id = $1 where id = $9`,
      [leadId, companyId, fullName, email, phone, address, smsConsent, now, projectId],
    );
  } else {
    await tx.query(
      `insert into lead_submissions (lead_id, full_name, email, phone, address, sms_consent, submitted_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [leadId, fullName, email, phone, address, smsConsent, now],
    );
  }
  await enqueueMessage(tx, {
    exchange: PARTNER_EVENTS,
    schema: LeadMergedSchema,
    message: { leadId, projectId, companyId, reason, submittedAt: timestampFromDate(now), ...person },
  });
  return { kind: 'merged', leadId, projectId, reason };
}
