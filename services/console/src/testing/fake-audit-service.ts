import {
  AuditService,
  SessionChangeSchema,
} from '@partner/proto-contracts/gen/partner/audit/v1/audit_service_pb';
import type { AuditEntry } from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { enumName } from '@partner/proto-contracts/values/enum-names';
import { type RpcService, rpcService } from '@partner/kernel/amqp/rpc-service';
import { newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import { ServiceError } from '@partner/kernel/service-error';
import { nextCursorOf, resourceResponse } from './resource-response.js';

/** A new entry of a company's trail. */
type NewEntry = Pick<AuditEntry, 'action' | 'subject'> & Partial<AuditEntry>;

/** In-memory audit trails of several companies, isolated from each other. */
export interface FakeAudit {
  readonly service: RpcService;
  /** Adds an entry to a company's trail and returns its id. */
  add(companyId: string, entry: NewEntry): string;
  /** Returns a company's trail, newest first. */
  entriesOf(companyId: string): readonly AuditEntry[];
  /** Makes the recording of session changes fail, or work again. */
  setAway(isAway: boolean): void;
}

/** Creates an in-memory `AuditService`. */
export function createFakeAudit(now: Date): FakeAudit {
  const trails = new Map<string, AuditEntry[]>();
  let isRecordingAway = false;

  function trailOf(companyId: string | undefined): AuditEntry[] {
    invariant(companyId !== undefined, 'the console names the company');
    const trail = trails.get(companyId) ?? [];
    trails.set(companyId, trail);
    return trail;
  }

  function add(companyId: string | undefined, { action, subject, ...rest }: NewEntry): string {
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
    service: rpcService(AuditService, {
      listAuditEntries: ({ companyId, beforeEntryId, action, limit = 50 }) => {
        const matching = trailOf(companyId)
          .filter(({ id }) => beforeEntryId === undefined || id < beforeEntryId)
          .filter((entry) => action === undefined || entry.action === action);
        return resourceResponse({
          entries: matching.slice(0, limit),
          nextCursor: nextCursorOf(matching, limit),
        });
      },
      recordSessionChange: ({ companyId, actor, sessionId, change, issuer }) => {
        if (isRecordingAway) throw new ServiceError('internal', 'nothing can be recorded');
        const name = enumName(SessionChangeSchema, ['started', 'ended', 'confirmed'], change);
        invariant(name !== undefined && sessionId !== undefined, 'the console names the change');
        const { membershipId = null, displayName = '' } = actor ?? {};
        add(companyId, {
          action: `session.${name}`,
          subject: { type: 'session', id: sessionId },
          actor: { membershipId, displayName },
          details: issuer === undefined ? {} : { issuer },
        });
        return {};
      },
    }),
  };
}
