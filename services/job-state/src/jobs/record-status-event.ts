import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { JobStatusChangedSchema } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { formatDateTime } from '@partner/proto-contracts/public-api/date-time';
import { occurredAtProblem } from '@partner/proto-contracts/public-api/installer-job';
import { PARTNER_EVENTS } from '@partner/proto-contracts/topology';
import { invalidArgument } from '@partner/runtime/http/validation';
import { assertNever } from '@partner/runtime/invariant';
import type { Logger } from '@partner/runtime/logger';
import { type IdempotencyMark, notFound, ServiceError } from '@partner/runtime/service-error';
import { z } from 'zod';
import type { Database } from '../database/database.js';
import { type IdempotencyBinding, runIdempotent } from '../idempotency/run-idempotent.js';
import { enqueueMessage } from '../outbox/enqueue-message.js';
import { recordEvent } from '../webhooks/record-event.js';
import { appendFeedEntries } from './feed.js';
import { type BlockerCode, type JobRecord, lockJob } from './job-record.js';
import { JOB_STATUS_ON_THE_WIRE } from './job-status-wire.js';
import { renderProjection } from './render-projection.js';
import { decideStatusMove, type ReportableStatus } from './status-transitions.js';

/** What an installer company reports about one of its jobs. */
export interface StatusEvent {
  readonly companyId: string;
  readonly jobId: string;
  readonly binding: IdempotencyBinding;
  readonly status: ReportableStatus;
  /** By the reporter's clock. */
  readonly occurredAt: Date;
  readonly note: string | null;
  /** Set exactly when the status is BLOCKED. */
  readonly blockerCode: BlockerCode | null;
  readonly expectedVersion: number;
  /** For how many milliseconds the caller still waits. */
  readonly timeoutMs: number | undefined;
}

/**
 * Moves a job's status once per idempotency key. One transaction holds the job at its new version, its history, the
 * company's feed entry, the webhook event with its deliveries, the message to the platform and the key's outcome.
 *
 * Fails with `invalid_argument` when `occurredAt` is too far from now, which a repeat of a known key is not asked again; then
 * with `not_found` for a job that the company does not have, then `stale_version`, then `transition_not_allowed`.
 * Locks: the key's row, the job, last the company's feed head.
 */
export async function recordStatusEvent(
  deps: {
    readonly database: Pick<Database, 'transaction'>;
    readonly clock: () => Date;
    readonly logger: Logger;
  },
  event: StatusEvent,
): Promise<{ readonly resource: string; readonly idempotency: IdempotencyMark | undefined }> {
  const { companyId, jobId, status, note, blockerCode } = event;
  let moved: { version: number; previousStatus: string; eventId: string; deliveries: number } | undefined;
  const recorded = await runIdempotent(deps, {
    companyId,
    binding: event.binding,
    timeoutMs: event.timeoutMs,
    result: z.string(),
    work: async (tx) => {
      const now = deps.clock();
      const problem = occurredAtProblem(event.occurredAt, now);
      if (problem !== undefined) throw invalidArgument([{ path: 'occurredAt', message: problem }]);
      const job = await lockJob(tx, jobId, companyId);
      if (job === undefined) throw notFound('job');
      const decision = decideStatusMove(job, event);
      if (decision.kind !== 'moved') return { kind: 'refused', refusal: refusalOf(decision, event) };

      const { version, previousStatus } = decision;
      const after: JobRecord = { ...job, version, status, blockerCode, updatedAt: now };
      const resource = renderProjection(after);
      await tx.query(
        `with moved as (
           update jobs set version = $2, status = $3, blocker_code = $4, projection = $5, updated_at = $6, last_updated_at = $6
           where id = $1
         )
         insert into job_status_events
           (job_id, version, company_id, previous_status, status, occurred_at, note, blocker_code, recorded_at)
         values ($1, $2, $7, $8, $3, $9, $10, $4, $6)`,
        [
          jobId,
          version,
          status,
          blockerCode,
          resource,
          now,
          companyId,
          previousStatus,
          event.occurredAt,
          note,
        ],
      );
      const told = await recordEvent(tx, {
        companyId,
        event: 'install.status_changed',
        occurredAt: now,
        resource: { type: 'install_job', id: jobId, version },
        data: {
          jobId,
          previousStatus,
          status,
          occurredAt: formatDateTime(event.occurredAt),
          note,
          blockerCode,
        },
        now,
      });
      await enqueueMessage(tx, {
        exchange: PARTNER_EVENTS,
        schema: JobStatusChangedSchema,
        message: {
          jobId,
          version,
          previousStatus: JOB_STATUS_ON_THE_WIRE[previousStatus],
          status: JOB_STATUS_ON_THE_WIRE[status],
          occurredAt: timestampFromDate(event.occurredAt),
          companyId,
          ...(note === null ? {} : { note }),
          ...(blockerCode === null ? {} : { blockerCode }),
        },
      });
      if (told.deliveries > 0) tx.wakeAfterCommit('deliveries');
      moved = { version, previousStatus, ...told };
      return {
        kind: 'done',
        result: resource,
        lastly: (last) => appendFeedEntries(last, [{ companyId, jobId, changedAt: now, resource }]),
      };
    },
  }).catch((error: unknown) => {
    const { reason, attributes } = ServiceError.from(error);
    deps.logger.info(
      { jobId, companyId, status, reason, replayed: attributes.idempotency?.replayed ?? false },
      'job.status_refused',
    );
    throw error;
  });
  const { result, idempotency } = recorded;
  deps.logger.info(
    { jobId, companyId, status, replayed: idempotency?.replayed ?? false, ...moved },
    'job.status_recorded',
  );
  return { resource: result, idempotency };
}

function refusalOf(
  decision: Exclude<ReturnType<typeof decideStatusMove>, { kind: 'moved' }>,
  event: Pick<StatusEvent, 'status' | 'expectedVersion'>,
): ServiceError {
  switch (decision.kind) {
    case 'stale_version':
      return new ServiceError(
        'stale_version',
        `expectedVersion is ${event.expectedVersion}, but the job is at version ${decision.currentVersion}; read it again`,
        { currentVersion: decision.currentVersion },
      );
    case 'transition_not_allowed':
      return new ServiceError(
        'transition_not_allowed',
        `a job that is ${decision.currentStatus} cannot move to ${event.status}; it can move to: ` +
          (decision.allowed.length === 0 ? 'none' : decision.allowed.join(', ')),
        { currentStatus: decision.currentStatus, allowed: decision.allowed },
      );
    default:
      return assertNever(decision);
  }
}
