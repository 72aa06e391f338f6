import { isDeepStrictEqual } from 'node:util';
import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf';
import type { EventName, EventData } from '@partner/proto-contracts/public-api/webhook-events';
import { PARTNER_EVENTS } from '@partner/proto-contracts/topology';
import type { Logger } from '@partner/runtime/logger';
import { type IdempotencyMark, notFound, ServiceError } from '@partner/runtime/service-error';
import { z } from 'zod';
import type { Database, Transaction } from '../database/database.js';
import { type IdempotencyBinding, runIdempotent } from '../idempotency/run-idempotent.js';
import { enqueueMessage } from '../outbox/enqueue-message.js';
import { recordEvent } from '../events/record-event.js';
import { appendFeedEntries } from './feed.js';
import { instantOfChange, type JobRecord, lockJob } from './job-record.js';
import { renderProjection, shownReadiness } from './render-projection.js';

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

/** An event about the job that is changed, for its installer company. */
export type JobEvent = {
  readonly [E in EventName]: { readonly event: E; readonly data: EventData<E> };
}[EventName];

/** What a write makes of a job. */
export type JobDecision<Message extends DescMessage> =
  | {
      readonly kind: 'changed';
      /** What is different afterwards, besides the version and the instant. */
      readonly fields: Partial<
        Pick<JobRecord, 'status' | 'blockerCode' | 'schedule' | 'technicianAssignments'>
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
  /** Of the message that tells the platform. */
  readonly schema: Message;
  /** Throws for a request that is wrong at this time; asked before the job is looked for, and not for a repeat. */
  readonly check?: (now: Date) => void;
  /**
   * Decides what becomes of the job, which is locked and at the expected version. Has no effect, but may lock what the
   * decision rests on.
   */
  readonly decide: (
    job: JobRecord,
    given: { readonly version: number; readonly now: Date; readonly tx: Transaction },
  ) => JobDecision<Message> | Promise<JobDecision<Message>>;
}

/**
 * Changes a job on behalf of its installer company, once per idempotency key. One transaction holds the job with its version
 * raised by exactly 1, the history of its status, the company's feed entry, the webhook events with their deliveries, the
 * message to the platform and the key's outcome. `install.readiness_changed` is among the events whenever the projection
 * shows another readiness than before.
 *
 * Fails with `not_found` for a job that the company does not have, then with `stale_version`, then as the operation decides:
 * a caller who has not read the present state can not know what it allows. A refusal is kept under the key and repeated.
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
    work: async (tx) => {
      operation.check?.(deps.clock());
      const job = await lockJob(tx, jobId, companyId);
      if (job === undefined) throw notFound('job');
      if (job.version !== expectedVersion) {
        return { kind: 'refused', refusal: staleVersion(expectedVersion, job.version) };
      }
      const version = job.version + 1;
      const now = instantOfChange(job, deps.clock());
      const decision = await operation.decide(job, { version, now, tx });
      if (decision.kind === 'refused') return decision;

      const after: JobRecord = { ...job, ...decision.fields, version, updatedAt: now };
      const resource = renderProjection(after);
      await saveJob(tx, { companyId, before: job, after, resource, statusEvent: decision.statusEvent });
      const eventIds: string[] = [];
      let deliveries = 0;
      for (const event of [...decision.events, ...readinessEvents(job, after)]) {
        const told = await recordEvent(tx, {
          ...event,
          companyId,
          occurredAt: now,
          resource: { type: 'install_job', id: jobId, version },
          now,
        });
        eventIds.push(told.eventId);
        deliveries += told.deliveries;
      }
      await enqueueMessage(tx, {
        exchange: PARTNER_EVENTS,
        schema: operation.schema,
        message: decision.message,
      });
      changed = { version, ...decision.logFields, eventIds, deliveries };
      return {
        kind: 'done',
        result: resource,
        lastly: (last) => appendFeedEntries(last, [{ companyId, jobId, changedAt: now, resource }]),
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

/** Writes all that an installer can change of a job, and its history when its status has moved. One round trip. */
async function saveJob(
  tx: Transaction,
  saved: {
    readonly companyId: string;
    readonly before: JobRecord;
    readonly after: JobRecord;
    readonly resource: string;
    readonly statusEvent: { readonly occurredAt: Date; readonly note: string | null } | undefined;
  },
): Promise<void> {
  const { companyId, before, after, resource, statusEvent } = saved;
  await tx.query(
    `with changed as (
       update jobs set version = $2, status = $3, blocker_code = $4, schedule_status = $5, schedule_starts_at = $6,
         schedule_ends_at = $7, schedule_time_zone = $8, technician_assignments = $9, projection = $10, updated_at = $11,
         last_updated_at = greatest(last_updated_at, $11)
       where id = $1
     )
     insert into job_status_events
       (job_id, version, company_id, previous_status, status, occurred_at, note, blocker_code, recorded_at)
     select $1, $2, $12, $13, $3, $14, $15, $4, $11 where $14::timestamptz is not null`,
    [
      after.id,
      after.version,
      after.status,
      after.blockerCode,
      after.schedule.status,
      after.schedule.startsAt,
      after.schedule.endsAt,
      after.schedule.timeZone,
      JSON.stringify(after.technicianAssignments),
      resource,
      after.updatedAt,
      companyId,
      before.status,
      statusEvent?.occurredAt ?? null,
      statusEvent?.note ?? null,
    ],
  );
}

function readinessEvents(before: JobRecord, after: JobRecord): readonly JobEvent[] {
  const readiness = shownReadiness(after);
  return isDeepStrictEqual(shownReadiness(before), readiness)
    ? []
    : [{ event: 'install.readiness_changed', data: { jobId: after.id, ...readiness } }];
}
