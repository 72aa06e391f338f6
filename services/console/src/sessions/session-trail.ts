import type { CallOptions, Client } from '@connectrpc/connect';
import {
  type AuditService,
  SessionChange,
} from '@partner/proto-contracts/gen/partner/audit/v1/audit_service_pb';
import type { Logger } from '@partner/kernel/logger';
import { ServiceError } from '@partner/kernel/service-error';
import { actorOf } from '../acting-owner.js';
import type { ClientOrigin, OwnerSession } from './session-store.js';

const CHANGES = {
  started: SessionChange.STARTED,
  ended: SessionChange.ENDED,
  confirmed: SessionChange.CONFIRMED,
} as const;

/** What became of a session, and through whose request. */
export interface SessionRecord {
  readonly change: keyof typeof CHANGES;
  readonly owner: Pick<OwnerSession, 'companyId' | 'membershipId' | 'displayName'>;
  /** The public id of the session. */
  readonly publicId: string;
  readonly origin: ClientOrigin;
}

/** The part of a company's audit trail that is about sessions. */
export interface SessionTrail {
  /** Records a change; fails with `unavailable` when it can not be, or it is not known whether it was. */
  record(change: SessionRecord, call: CallOptions): Promise<void>;
  /**
   * Records a change that has happened whatever becomes of the entry, and of whoever asked for it: a client that leaves does
   * not keep it out of the trail. That it failed is logged.
   */
  note(change: SessionRecord, call: CallOptions): Promise<void>;
}

/** Makes the trail; job-state keeps it. */
export function createSessionTrail(deps: {
  readonly audit: Pick<Client<typeof AuditService>, 'recordSessionChange'>;
  readonly logger: Pick<Logger, 'warn'>;
}): SessionTrail {
  async function write({ change, owner, publicId, origin }: SessionRecord, call: CallOptions) {
    await deps.audit.recordSessionChange(
      {
        companyId: owner.companyId,
        actor: actorOf(owner, origin),
        sessionId: publicId,
        change: CHANGES[change],
      },
      call,
    );
  }

  return {
    async record(change, call) {
      try {
        await write(change, call);
      } catch (cause) {
        throw new ServiceError('unavailable', 'this can not be recorded at the moment; try again', {
          retryAfterSeconds: 1,
          cause,
        });
      }
    },
    async note(change, { signal: _signal, ...patient }) {
      try {
        await write(change, patient);
      } catch (error) {
        const { owner, publicId } = change;
        const { companyId, membershipId } = owner;
        deps.logger.warn(
          { err: error, change: change.change, companyId, membershipId, sessionId: publicId },
          'session.not_recorded',
        );
      }
    },
  };
}
