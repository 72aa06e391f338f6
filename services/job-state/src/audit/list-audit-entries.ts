import type { AuditEntry } from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import type { Queryable } from '../database/database.js';

/** An entry of the audit trail. */
export interface AuditEntryRow {
  readonly id: string;
  readonly action: AuditEntry['action'];
  readonly subjectType: AuditEntry['subject']['type'];
  readonly subjectId: string;
  readonly membershipId: string | null;
  /** As of the change; if the caller did not provide it, the current one. */
  readonly displayName: string | null;
  readonly remoteAddress: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
  readonly details: AuditEntry['details'];
}

/** A page of a company's audit trail. */
export interface AuditQuery {
  readonly companyId: string;
  /** Only entries older than this one; absent: from the newest. */
  readonly beforeEntryId: string | undefined;
  /** At least 1. */
  readonly limit: number;
  /** Only entries of this action; absent: all. */
  readonly action: string | undefined;
}

/** Lists a company's audit trail by id, newest first. The order has indexes, with and without an action. */
export async function listAuditEntries(
  database: Queryable,
  { companyId, beforeEntryId, limit, action }: AuditQuery,
): Promise<{ readonly entries: readonly AuditEntryRow[]; readonly nextBeforeId: string | undefined }> {
  const values = [companyId, limit + 1];
  const conditions = ['a.company_id = $1'];
  if (beforeEntryId !== undefined) conditions.push(`a.id < $${values.push(beforeEntryId)}`);
  if (action !== undefined) conditions.push(`a.action = $${values.push(action)}`);
  const rows = await database.query<AuditEntryRow>(
    `select a.id, a.action, a.subject_type as "subjectType", a.subject_id as "subjectId", a.membership_id as "membershipId",
       coalesce(a.display_name, member.display_name) as "displayName", a.remote_address as "remoteAddress",
       a.user_agent as "userAgent", a.request_id as "requestId", a.details
     from (select * from audit_entries a where ${conditions.join(' and ')} order by a.id desc limit $2) a
     left join memberships member on member.id = a.membership_id and member.company_id = a.company_id
     order by a.id desc`,
    values,
  );
  const entries = rows.slice(0, limit);
  return { entries, nextBeforeId: rows.length > limit ? entries.at(-1)?.id : undefined };
}
