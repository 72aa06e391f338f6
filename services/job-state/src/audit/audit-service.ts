import type { ServiceImpl } from '@connectrpc/connect';
import {
  type AuditService,
  SessionChange,
} from '@partner/proto-contracts/gen/partner/audit/v1/audit_service_pb';
import {
  AUDIT_ACTIONS,
  type AuditAction,
  type AuditEntry,
  type AuditPage,
} from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { instantOfId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import { type Database, queryWithin } from '../database/database.js';
import { pageSize } from '../rpc/page-size.js';
import { callerLimits } from '../rpc/caller-limits.js';
import { required } from '../rpc/required.js';
import { actorOf } from './actor.js';
import { type AuditEntryRow, listAuditEntries } from './list-audit-entries.js';
import { recordAudit } from './record-audit.js';

const SESSION_ACTIONS: Readonly<Record<SessionChange, AuditAction | undefined>> = {
  [SessionChange.UNSPECIFIED]: undefined,
  [SessionChange.STARTED]: 'session.started',
  [SessionChange.ENDED]: 'session.ended',
  [SessionChange.CONFIRMED]: 'session.confirmed',
};

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
      const change = required(request.change, 'change');
      await recordAudit(queryWithin(deps.database, callerLimits(request, context)), {
        companyId: required(request.companyId, 'company_id'),
        actor: actorOf(request),
        action: required(SESSION_ACTIONS[change], 'known change'),
        subject: { type: 'session', id: required(request.sessionId, 'session_id') },
      });
      return {};
    },
  };
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
    details: row.details,
  };
}
