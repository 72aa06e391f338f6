import type { CallOptions, Client } from '@connectrpc/connect';
import {
  type AuditService,
  SessionChangeSchema,
} from '@partner/proto-contracts/gen/partner/audit/v1/audit_service_pb';
import { enumValue } from '@partner/proto-contracts/values/enum-names';
import type { Logger } from '@partner/kernel/logger';
import { ServiceError } from '@partner/kernel/service-error';
import { actorOf } from '../acting-owner.js';
import type { ClientOrigin, OwnerSession } from './session-store.js';

/** A change of a session, and the request that made it. */
interface SessionRecord {
  readonly change: 'started' | 'ended' | 'confirmed';
  readonly owner: Pick<OwnerSession, 'companyId' | 'membershipId' | 'displayName'>;
  /** The session's public id. */
  readonly publicId: string;
  readonly origin: ClientOrigin;
  /** The identity provider that proved who the owner is; absent: the password. */
  readonly issuer?: string | undefined;
}

/** Records session changes in a company's audit trail. */
export interface SessionTrail {
  /** Records a change. Fails with `unavailable` if it cannot be recorded or the outcome is unknown. */
  record(change: SessionRecord, call: CallOptions): Promise<void>;
  /**
   * Records a change that has already happened. Never fails, and ignores the cancellation of the request; a failure is
   * logged.
   */
  note(change: SessionRecord, call: CallOptions): Promise<void>;
}

/** Creates the trail; job-state stores it. */
export function createSessionTrail(deps: {
  readonly audit: Pick<Client<typeof AuditService>, 'recordSessionChange'>;
  readonly logger: Pick<Logger, 'warn'>;
}): SessionTrail {
  async function write({ change, owner, publicId, origin, issuer }: SessionRecord, call: CallOptions) {
    await deps.audit.recordSessionChange(
      {
        companyId: owner.companyId,
        actor: actorOf(owner, origin),
        sessionId: publicId,
        change: enumValue(SessionChangeSchema, change),
        ...(issuer !== undefined && { issuer }),
      },
      call,
    );
  }

  return {
    async record(change, call) {
      try {
        await write(change, call);
      } catch (cause) {
        throw new ServiceError('unavailable', 'the change cannot be recorded at the moment; retry', {
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
