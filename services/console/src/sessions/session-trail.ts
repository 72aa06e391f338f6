import { recordSessionChangeOperation } from '@partner/proto-contracts/internal/audit/record-session-change';
import type { CallOptions, OperationClient } from '@partner/kernel/amqp/operation-client';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { ServiceError } from '@partner/kernel/process/service-error';
import { callerOf } from '../acting-owner.js';
import type { ClientOrigin } from './session-store.js';

/** A change of a session, and the request that made it. */
interface SessionRecord {
  readonly change: 'started' | 'ended' | 'confirmed';
  readonly owner: Parameters<typeof callerOf>[0];
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
  readonly operations: Pick<OperationClient, 'callInternal'>;
  readonly logger: Pick<Logger, 'warn'>;
}): SessionTrail {
  async function write({ change, owner, publicId, origin, issuer }: SessionRecord, call: CallOptions) {
    await deps.operations.callInternal(
      recordSessionChangeOperation,
      { change, sessionId: publicId, issuer },
      { ...call, caller: callerOf(owner, origin) },
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
