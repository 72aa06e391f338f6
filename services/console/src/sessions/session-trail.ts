import { recordSessionChangeOperation } from '@partner/proto-contracts/internal/audit/record-session-change';
import type { CallOptions, OperationClient } from '@partner/kernel/amqp/operation-client';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { ServiceError } from '@partner/kernel/process/service-error';
import { callerOf } from '../acting-owner.js';
import type { ClientOrigin } from './session-store.js';

/** A change of a session, and the request that made it. */
export interface SessionChange {
  readonly change: 'started' | 'ended' | 'confirmed';
  readonly session: Parameters<typeof callerOf>[0] & { readonly publicId: string };
  readonly origin: ClientOrigin;
  /** The identity provider that proved who the owner is; absent: the password. */
  readonly issuer?: string | undefined;
}

/** Creates what records session changes in a company's audit trail; job-state stores it. */
export function createSessionTrail(deps: {
  readonly operations: Pick<OperationClient, 'callInternal'>;
  readonly logger: Pick<Logger, 'warn'>;
}) {
  async function write({ change, session, origin, issuer }: SessionChange, call: CallOptions) {
    await deps.operations.callInternal(
      recordSessionChangeOperation,
      { change, sessionId: session.publicId, issuer },
      { ...call, caller: callerOf(session, origin) },
    );
  }

  return {
    /** Records a change. Fails with `unavailable` if it cannot be recorded or the outcome is unknown. */
    record: (change: SessionChange, call: CallOptions) =>
      write(change, call).catch((cause: unknown) => {
        throw new ServiceError('unavailable', 'the change cannot be recorded at the moment; retry', {
          retryAfterSeconds: 1,
          cause,
        });
      }),
    /**
     * Records a change that has already happened. Never fails, and ignores the cancellation of the request; a failure is
     * logged.
     */
    note: (change: SessionChange, { signal: _signal, ...patient }: CallOptions) =>
      write(change, patient).catch((error: unknown) => {
        const { companyId, membershipId, publicId: sessionId } = change.session;
        const line = { err: error, change: change.change, companyId, membershipId, sessionId };
        deps.logger.warn(line, 'session.not_recorded');
      }),
  };
}
