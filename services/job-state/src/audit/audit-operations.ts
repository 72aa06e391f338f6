import { recordSessionChangeOperation } from '@partner/proto-contracts/internal/audit/record-session-change';
import type { AuditEntry, AuditPage } from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import { listAuditEntriesOperation } from '@partner/proto-contracts/resources/audit-entry/operations';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { shortUrl } from '@partner/proto-contracts/values/short-url';
import { type Implementation, implement, implementInternal } from '@partner/kernel/amqp/implement';
import { instantOfId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { type Database, queryWithin } from '../database/database.js';
import { pageById } from '../rpc/page-by-id.js';
import { callingOwner } from './actor.js';
import { recordAudit } from './record-audit.js';

interface AuditEntryRow extends Omit<AuditEntry, 'at' | 'actor' | 'subject'> {
  readonly subjectType: AuditEntry['subject']['type'];
  readonly subjectId: string;
  readonly membershipId: string | null;
  /** As of the change; if the caller did not provide it, the current one. */
  readonly displayName: string | null;
}

export function auditOperations(deps: {
  readonly database: Pick<Database, 'query'>;
}): readonly Implementation[] {
  return [
    // By id, newest first. The order has indexes, with and without an action.
    implement(
      listAuditEntriesOperation,
      async ({ companyId, after, query: { limit, action }, timeoutMs }) => {
        const values = [companyId, limit + 1];
        const conditions = ['a.company_id = $1'];
        if (after !== undefined) conditions.push(`a.id < $${values.push(after)}`);
        if (action !== undefined) conditions.push(`a.action = $${values.push(action)}`);
        const rows = await deps.database.query<AuditEntryRow>(
          `select a.id, a.action, a.subject_type as "subjectType", a.subject_id as "subjectId", a.membership_id as "membershipId",
           coalesce(a.display_name, member.display_name) as "displayName", a.remote_address as "remoteAddress",
           a.user_agent as "userAgent", a.request_id as "requestId", a.details
         from (select * from audit_entries a where ${conditions.join(' and ')} order by a.id desc limit $2) a
         left join memberships member on member.id = a.membership_id and member.company_id = a.company_id
         order by a.id desc`,
          values,
          { companyId, timeoutMs: timeoutMs() },
        );
        const { page, nextCursor } = pageById(rows, limit);
        const entries = page.map(shownAuditEntry);
        return { json: JSON.stringify({ entries, nextCursor } satisfies AuditPage) };
      },
    ),
    implementInternal(recordSessionChangeOperation, async (input, { caller, timeoutMs }) => {
      const { change, sessionId, issuer } = input;
      const owner = callingOwner(caller);
      const { companyId, membershipId } = owner;
      const database = queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
      const erasures = await database.query(`select from erasures where subject ->> 'companyId' = $1`, [
        companyId,
      ]);
      await recordAudit(database, {
        companyId,
        // A session can end after the company's data was erased.
        actor: erasures.length > 0 ? { membershipId } : owner,
        action: `session.${change}` as const,
        subject: { type: 'session', id: sessionId },
        ...(issuer !== undefined && { details: { issuer } }),
      });
      return {};
    }),
  ];
}

/** The path of a webhook's URL can be a secret, and viewers read the trail, for long. */
function withShortUrl(details: AuditEntry['details']): AuditEntry['details'] {
  return typeof details['url'] === 'string' ? { ...details, url: shortUrl(details['url']) } : details;
}

/** An entry as the public API shows it. An owner without a name is shown by their id. */
function shownAuditEntry(row: AuditEntryRow): AuditEntry {
  const at = instantOfId('aud', row.id);
  invariant(at, 'the id of an entry contains its time');
  const displayName = row.displayName ?? row.membershipId;
  const isKnown = displayName !== null;
  return {
    id: row.id,
    at: formatDateTime(at),
    actor: isKnown ? { membershipId: row.membershipId, displayName } : null,
    action: row.action,
    subject: { type: row.subjectType, id: row.subjectId },
    remoteAddress: isKnown ? row.remoteAddress : null,
    userAgent: isKnown ? row.userAgent : null,
    requestId: row.requestId,
    details: withShortUrl(row.details),
  };
}
