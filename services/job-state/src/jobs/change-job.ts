import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf';
import { PARTNER_EVENTS } from '@partner/proto-contracts/topology';
import type { OperationRequest } from '@partner/kernel/amqp/implement';
import type { OperationReply } from '@partner/kernel/amqp/operation-call';
import { invariant } from '@partner/kernel/process/invariant';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import { z } from 'zod';
import type { Transaction } from '../database/database.js';
import { logOutcome, runIdempotent, type WriteDeps } from '../idempotency/run-idempotent.js';
import { enqueueMessage } from '../outbox/enqueue-message.js';
import type { RecordedEvent } from '../webhooks/events/record-event.js';
import { instantOfChange, type LockedJob, lockJob } from './job-record.js';
import { type JobEvent, writeJob } from './write-job.js';

type JobWrite = OperationRequest<unknown, { readonly expectedVersion: number }, 'id'>;

type JobDecision =
  | {
      readonly kind: 'changed';
      /** Changed fields, besides the version and the instant. */
      readonly fields: Partial<
        Pick<LockedJob, 'status' | 'blockerCode' | 'schedule' | 'technicianAssignments' | 'platformState'>
      >;
      /** Entry for the status history, if the status changes. */
      readonly statusEvent?: { readonly occurredAt: Date; readonly note: string | null };
      /** Webhook events to emit, apart from `install.readiness_changed`. */
      readonly events: readonly JobEvent[];
      /** Publishes the message to the platform. */
      readonly message: (tx: Transaction) => void;
      readonly logFields?: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'refused'; readonly refusal: ServiceError };

interface JobOperation {
  /** The messages of its log lines, and their fields besides the job and the company. */
  readonly log: {
    readonly done: string;
    readonly refused: string;
    readonly fields: Readonly<Record<string, unknown>>;
  };
  /** Names the written resource when a closed job is refused. */
  readonly what: 'status events' | 'schedules' | 'assignments';
  /** Validates the request against the clock, before the job is loaded; skipped for repeats. */
  readonly check?: (now: Date) => void;
  /**
   * Locks what else the decision needs, and returns the ids; the job is already locked. Must send its statements at once. Absent:
   * nothing. Then the write can share its transaction with other writes of the company.
   */
  readonly alsoLock?: (tx: Transaction) => Promise<ReadonlySet<string>>;
  /** Pure decision on the locked job at the expected version. */
  readonly decide: (
    job: LockedJob,
    given: { readonly version: number; readonly now: Date; readonly locked: ReadonlySet<string> },
  ) => JobDecision;
}

/**
 * Changes a job on behalf of its installer company, once per idempotency key.
 *
 * One transaction raises the job's version by exactly 1 and writes the status history, the company's feed entry, the webhook events
 * with their deliveries, the message to the platform and the outcome of the key. If the readiness in the projection changes, it
 * also writes `install.readiness_changed`.
 *
 * Fails with `not_found` for a job that the company does not have, then with `stale_version`, then with
 * `transition_not_allowed` for a closed job, then as the operation decides: a caller who has not read the current state cannot
 * know what it allows. A refusal is stored under the key and repeated. A repeat also fails with `not_found` while the company
 * does not have the job: the stored outcome shows the customer.
 *
 * Locks: the key's row, the job, the operation's locks, last the company's feed head.
 */
export async function changeJob(
  deps: WriteDeps,
  { companyId, params: { id: jobId }, body: { expectedVersion }, idempotencyKey, timeoutMs }: JobWrite,
  operation: JobOperation,
): Promise<OperationReply> {
  invariant(idempotencyKey, 'the operation requires an Idempotency-Key');
  let recorded: readonly RecordedEvent[] = [];
  let changed: Readonly<Record<string, unknown>> | undefined;
  const writing = runIdempotent(deps, {
    companyId,
    binding: idempotencyKey,
    timeoutMs: timeoutMs(),
    ...(operation.alsoLock === undefined && { sharedBy: [jobId, idempotencyKey.key] }),
    result: z.string(),
    load: async (tx) => {
      const locking = lockJob(tx, jobId, companyId);
      // Its failure is reported below, unless `alsoLock` fails with it.
      locking.catch(() => undefined);
      const locked = (await operation.alsoLock?.(tx)) ?? new Set<string>();
      return { job: await locking, locked };
    },
    checkRepeat: ({ job }) => {
      if (job === undefined) throw notFound('job');
    },
    work: (tx, { job, locked }) => {
      [changed, recorded] = [undefined, []];
      operation.check?.(deps.clock());
      if (job === undefined) throw notFound('job');
      if (job.version !== expectedVersion) {
        return { kind: 'refused', refusal: staleVersion(expectedVersion, job.version) };
      }
      if (job.status === 'COMPLETE' || job.status === 'CANCELLED') {
        return { kind: 'refused', refusal: jobClosed(job.status, operation.what) };
      }
      const version = job.version + 1;
      const now = instantOfChange(job, deps.clock());
      const decision = operation.decide(job, { version, now, locked });
      if (decision.kind === 'refused') return decision;

      const { statusEvent } = decision;
      const written = writeJob(tx, {
        before: job,
        after: { ...job, ...decision.fields, version, updatedAt: now },
        ...(statusEvent === undefined ? {} : { statusEvent: { companyId, ...statusEvent } }),
        events: decision.events,
        now,
      });
      invariant(written.resource, 'an assigned job has a projection');
      decision.message(tx);
      changed = { version, ...decision.logFields };
      recorded = written.recorded;
      return { kind: 'done', result: written.resource };
    },
  });
  const fields = { jobId, companyId, ...operation.log.fields };
  const { result, idempotency } = await logOutcome(
    deps.logger,
    { ...operation.log, fields },
    writing,
    () => ({
      ...changed,
      eventIds: recorded.map(({ eventId }) => eventId),
      deliveries: recorded.reduce((sum, { deliveries }) => sum + deliveries(), 0),
    }),
  );
  return { json: `{"resource":${result}}`, idempotency };
}

export function messageToPlatform<Message extends DescMessage>(
  schema: Message,
  message: MessageInitShape<Message>,
) {
  return (tx: Transaction) => enqueueMessage(tx, { exchange: PARTNER_EVENTS, schema, message });
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
  return new ServiceError(
    'transition_not_allowed',
    `the job is ${currentStatus}: it accepts no more ${what}`,
    {
      currentStatus,
      allowed: [],
    },
  );
}
