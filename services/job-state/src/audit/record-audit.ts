import {
  AUDIT_USER_AGENT_LENGTH,
  type AuditAction,
  type AuditSubjectType,
} from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import { newId } from '@partner/kernel/process/ids';
import { currentRequestId } from '@partner/kernel/telemetry/request-context';
import type { Queryable } from '../database/database.js';
import type { Actor } from './actor.js';

export interface AuditedChange {
  readonly companyId: string;
  /** Undefined: no signed-in person. */
  readonly actor: Actor | undefined;
  readonly action: AuditAction;
  readonly subject: { readonly type: AuditSubjectType; readonly id: string };
  /** Visible to every owner of the company: never a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * Adds an entry to a company's audit trail, for the current request.
 *
 * Call it in the transaction of the change, so that both are committed or neither. It takes no lock that another transaction
 * waits for.
 */
export async function recordAudit(tx: Queryable, change: AuditedChange): Promise<void> {
  const { companyId, actor, action, subject, details = {} } = change;
  await tx.query(
    `insert into audit_entries (id, company_id, action, subject_type, subject_id, membership_id, display_name, remote_address,
       user_agent, request_id, details)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      newId('aud'),
      companyId,
      action,
      subject.type,
      subject.id,
      actor?.membershipId ?? null,
      actor?.displayName ?? null,
      actor?.remoteAddress ?? null,
      actor?.userAgent?.slice(0, AUDIT_USER_AGENT_LENGTH) ?? null,
      currentRequestId() ?? null,
      JSON.stringify(details),
    ],
  );
}

/** A change of a person of the company, by the person or by someone else. */
export interface OwnerChange {
  readonly companyId: string;
  readonly membershipId: string;
  readonly actor: Actor | undefined;
}

export function recordOwnerChange(
  tx: Queryable,
  { companyId, membershipId, actor }: OwnerChange,
  details: Readonly<Record<string, unknown>>,
  action: AuditAction = 'owner.updated',
): Promise<void> {
  return recordAudit(tx, { companyId, actor, action, subject: { type: 'owner', id: membershipId }, details });
}
