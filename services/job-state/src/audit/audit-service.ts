import type { ServiceImpl } from '@connectrpc/connect';
import {
  type AuditService,
  SessionChangeSchema,
} from '@partner/proto-contracts/gen/partner/audit/v1/audit_service_pb';
import {
  AUDIT_ACTIONS,
  type AuditEntry,
  type AuditPage,
} from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import { enumName } from '@partner/proto-contracts/values/enum-names';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { instantOfId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import { type Database, queryWithin } from '../database/database.js';
import { pageSize } from '../rpc/page-size.js';
import { callerLimits } from '../rpc/caller-limits.js';
import { required } from '../rpc/required.js';
import { actorOf } from './actor.js';
import { shortUrl } from '@partner/proto-contracts/values/short-url';
import { type AuditEntryRow, listAuditEntries } from './list-audit-entries.js';
import { recordAudit } from './record-audit.js';

/** Serves the RPCs with which a company's owner reads the audit trail, and the console adds its own entries. */
export function createAuditService(deps: {
  readonly database: Pick<Database, 'query'>;
}): ServiceImpl<typeof AuditService> {
  return {
    async listAuditEntries(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const action = AUDIT_ACTIONS.find((known) => known === request.action);
      const { entries, nextBeforeId } = await listAuditEntries(database, {
        companyId: required(request.companyId, 'company_id'),
        beforeEntryId: request.beforeEntryId,
        limit: pageSize(request.limit),
        action: request.action === undefined ? undefined : required(action, 'known action'),
      });
      const page = { entries: entries.map(shownAuditEntry), nextCursor: nextBeforeId ?? null };
      return { resourceJson: JSON.stringify(page satisfies AuditPage) };
    },

    async recordSessionChange(request, context) {
      const change = enumName(SessionChangeSchema, ['started', 'ended', 'confirmed'], request.change);
      const database = queryWithin(deps.database, callerLimits(request, context));
      const companyId = required(request.companyId, 'company_id');
      const erasures = await database.query(`select from erasures where subject ->> 'companyId' = $1`, [
        companyId,
      ]);
      const actor = actorOf(request);
      await recordAudit(database, {
        companyId,
        // A session can end after the company's data was erased.
        actor: erasures.length > 0 ? { membershipId: actor?.membershipId } : actor,
        action: `session.${required(change, 'known change')}` as const,
        subject: { type: 'session', id: required(request.sessionId, 'session_id') },
        ...(request.issuer !== undefined && { details: { issuer: request.issuer } }),
      });
      return {};
    },
  };
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
