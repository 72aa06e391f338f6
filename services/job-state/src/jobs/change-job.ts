import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf';
import { PARTNER_EVENTS } from '@partner/proto-contracts/topology';
import { invariant } from '@partner/kernel/invariant';
import type { Logger } from '@partner/kernel/logger';
import { type IdempotencyMark, notFound, ServiceError } from '@partner/kernel/service-error';
import { z } from 'zod';
import type { Database, Transaction } from '../database/database.js';
import { type IdempotencyBinding, runIdempotent } from '../idempotency/run-idempotent.js';
import { enqueueMessage } from '../outbox/enqueue-message.js';
import { appendFeedEntries } from './feed.js';
import { instantOfChange, type LockedJob, lockJob } from './job-record.js';
import { type JobEvent, writeJob } from './write-job.js';

/** What every write of an installer company to one of its jobs names. */
export interface JobWrite {
  readonly companyId: string;
  readonly jobId: string;
  readonly binding: IdempotencyBinding;
  /** The version that the writer has read. */
  readonly expectedVersion: number;
  /** For how many milliseconds the caller still waits. */
  readonly timeoutMs: number | undefined;
}

/** What a write came to. */
export interface JobWritten {
  /** The projection at its new version, as JSON text. */
  readonly resource: string;
  readonly idempotency: IdempotencyMark | undefined;
}

/** What a write stands on. */
export interface JobWriteDeps {
  readonly database: Pick<Database, 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Logger;
}

/** What a write makes of a job. */
export type JobDecision<Message extends DescMessage> =
  | {
      readonly kind: 'changed';
      /** What is different afterwards, besides the version and the instant. */
      readonly fields: Partial<
        Pick<LockedJob, 'status' | 'blockerCode' | 'schedule' | 'technicianAssignments' | 'heard'>
      >;
      /** What the history of the job's statuses keeps, when the status moves. */
      readonly statusEvent?: { readonly occurredAt: Date; readonly note: string | null };
      /** What the company is told, besides a change of readiness. */
      readonly events: readonly JobEvent[];
      /** What the platform is told. */
      readonly message: MessageInitShape<Message>;
      readonly logFields?: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'refused'; readonly refusal: ServiceError };

/** One kind of write. */
export interface JobOperation<Message extends DescMessage> {
  /** The messages of its log lines, and what they carry besides the job and the company. */
  readonly log: {
    readonly done: string;
    readonly refused: string;
    readonly fields: Readonly<Record<string, unknown>>;
  };
  /** What is written, for the refusal of a job that is closed. */
  readonly what: 'status events' | 'schedules' | 'assignments';
  /** Of the message that tells the platform. */
  readonly schema: Message;
  /** Throws for a request that is wrong at this time; asked before the job is looked for, and not for a repeat. */
  readonly check?: (now: Date) => void;
  /**
   * Decides what becomes of the job, which is locked and at the expected version. Has no effect, but may lock what the
   * decision rests on.
   */
  readonly decide: (
    job: LockedJob,
    given: { readonly version: number; readonly now: Date; readonly tx: Transaction },
  ) => JobDecision<Message> | Promise<JobDecision<Message>>;
}

/**
 * Changes a job on behalf of its installer company, once per idempotency key. One transaction holds the job with its version
 * raised by exactly 1, the history of its status, the company's feed entry, the webhook events with their deliveries, the
 * message to the platform and the key's outcome. `install.readiness_changed` is among the events whenever the projection
 * shows another readiness than before.
 *
 * Fails with `not_found` for a job that the company does not have, then with `stale_version`, then with
 * `transition_not_allowed` for a job that is closed, then as the operation decides:
 * a caller who has not read the present state cannot know what it allows. A refusal is kept under the key and repeated. A
 * replay fails with `not_found` too while the company does not have the job: what is kept shows the customer.
 * Locks: the key's row, the job, what the operation locks, last the company's feed head.
 */
export async function changeJob<Message extends DescMessage>(
  deps: JobWriteDeps,
  write: JobWrite,
  operation: JobOperation<Message>,
): Promise<JobWritten> {
  const { companyId, jobId, expectedVersion } = write;
  const logFields = { jobId, companyId, ...operation.log.fields };
  let changed: Readonly<Record<string, unknown>> | undefined;
  const { result, idempotency } = await runIdempotent(deps, {
    companyId,
    binding: write.binding,
    timeoutMs: write.timeoutMs,
    result: z.string(),
    checkReplay: async (tx) => {
      const held = await tx.query('select from jobs where id = $1 and installer_company_id = $2', [
        jobId,
        companyId,
      ]);
      if (held.length === 0) throw notFound('job');
    },
    work: async (tx) => {
      operation.check?.(deps.clock());
      const job = await lockJob(tx, jobId, companyId);
      if (job === undefined) throw notFound('job');
      if (job.version !== expectedVersion) {
        return { kind: 'refused', refusal: staleVersion(expectedVersion, job.version) };
      }
      if (job.status === 'COMPLETE' || job.status === 'CANCELLED') {
        return { kind: 'refused', refusal: jobClosed(job.status, operation.what) };
      }
      const version = job.version + 1;
      const now = instantOfChange(job, deps.clock());
      const decision = await operation.decide(job, { version, now, tx });
      if (decision.kind === 'refused') return decision;

      const after: LockedJob = { ...job, ...decision.fields, version, updatedAt: now };
      const { statusEvent } = decision;
      const { resource, feedEntries, eventIds, deliveries } = await writeJob(tx, {
        before: job,
        after,
        ...(statusEvent === undefined ? {} : { statusEvent: { companyId, ...statusEvent } }),
        events: decision.events,
        now,
      });
      invariant(resource, 'a job that a company has can be shown');
      await enqueueMessage(tx, {
        exchange: PARTNER_EVENTS,
        schema: operation.schema,
        message: decision.message,
      });
      changed = { version, ...decision.logFields, eventIds, deliveries };
      return {
        kind: 'done',
        result: resource,
        lastly: (last) => appendFeedEntries(last, feedEntries),
      };
    },
  }).catch((error: unknown) => {
    const { reason, attributes } = ServiceError.from(error);
    const replayed = attributes.idempotency?.replayed ?? false;
    deps.logger.info({ ...logFields, reason, replayed }, operation.log.refused);
    throw error;
  });
  deps.logger.info(
    { ...logFields, replayed: idempotency?.replayed ?? false, ...changed },
    operation.log.done,
  );
  return { resource: result, idempotency };
}

function staleVersion(expectedVersion: number, currentVersion: number): ServiceError {
  return new ServiceError(
    'stale_version',
    `expectedVersion is ${expectedVersion}, but the job is at version ${currentVersion}; read it again`,
    { currentVersion },
  );
}

/** The refusal of a write to a job that is COMPLETE or CANCELLED. */
function jobClosed(currentStatus: string, what: string): ServiceError {
  return new ServiceError('transition_not_allowed', `the job is ${currentStatus}: it takes no more ${what}`, {
    currentStatus,
    allowed: [],
  });
}
