import { recordSessionChangeOperation } from '@partner/proto-contracts/internal/audit/record-session-change';
import type { AuditEntry } from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { listAuditEntriesOperation } from '@partner/proto-contracts/resources/audit-entry/operations';
import { type Implementation, implement, implementInternal } from '@partner/kernel/amqp/implement';
import { newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import { ServiceError } from '@partner/kernel/service-error';
import { nextCursorOf } from './resource-response.js';

/** A new entry of a company's trail. */
type NewEntry = Pick<AuditEntry, 'action' | 'subject'> & Partial<AuditEntry>;

/** In-memory audit trails of several companies, isolated from each other. */
export interface FakeAudit {
  readonly operations: readonly Implementation[];
  /** Adds an entry to a company's trail and returns its id. */
  add(companyId: string, entry: NewEntry): string;
  /** Returns a company's trail, newest first. */
  entriesOf(companyId: string): readonly AuditEntry[];
  /** Makes the recording of session changes fail, or work again. */
  setAway(isAway: boolean): void;
}

/** Creates in-memory audit trails. */
export function createFakeAudit(now: Date): FakeAudit {
  const trails = new Map<string, AuditEntry[]>();
  let isRecordingAway = false;

  function trailOf(companyId: string): AuditEntry[] {
    const trail = trails.get(companyId) ?? [];
    trails.set(companyId, trail);
    return trail;
  }

  function add(companyId: string, { action, subject, ...rest }: NewEntry): string {
    const id = newId('aud');
    trailOf(companyId).unshift({
      id,
      at: formatDateTime(now),
      actor: null,
      action,
      subject,
      remoteAddress: null,
      userAgent: null,
      requestId: null,
      details: {},
      ...rest,
    });
    return id;
  }

  return {
    add,
    entriesOf: trailOf,
    setAway: (isAway) => {
      isRecordingAway = isAway;
    },
    operations: [
      implement(listAuditEntriesOperation, async ({ companyId, after, query: { action, limit } }) => {
        const matching = trailOf(companyId)
          .filter(({ id }) => after === undefined || id < after)
          .filter((entry) => action === undefined || entry.action === action);
        const entries = matching.slice(0, limit);
        return { json: JSON.stringify({ entries, nextCursor: nextCursorOf(matching, limit) }) };
      }),
      implementInternal(recordSessionChangeOperation, async ({ change, sessionId, issuer }, { caller }) => {
        if (isRecordingAway) throw new ServiceError('internal', 'nothing can be recorded');
        invariant(caller.kind === 'owner', 'the console names the owner');
        const { companyId, membershipId, displayName } = caller;
        add(companyId, {
          action: `session.${change}`,
          subject: { type: 'session', id: sessionId },
          actor: { membershipId, displayName },
          details: issuer === undefined ? {} : { issuer },
        });
        return {};
      }),
    ],
  };
}
