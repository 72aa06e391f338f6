import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { JobNoteAddedSchema } from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { PARTNER_EVENTS } from '@partner/proto-contracts/topology';
import { type IdempotencyMark, notFound, ServiceError } from '@partner/kernel/process/service-error';
import { z } from 'zod';
import type { PreparedStatement } from '../database/connection-pool.js';
import { type IdempotencyBinding, runIdempotent, type WriteDeps } from '../idempotency/run-idempotent.js';
import { enqueueMessage } from '../outbox/enqueue-message.js';
import {
  CONTRACTOR_JOB_COLUMNS,
  type ContractorJobBoundary,
  type ContractorJobRow,
  shownContractorJob,
} from './contractor-job.js';

/** A note that a contractor leaves on a job. */
export interface JobNote extends ContractorJobBoundary {
  readonly jobId: string;
  /** Undefined if the caller sent no key: a repeat then appends the note again. */
  readonly binding: IdempotencyBinding | undefined;
  readonly note: string;
  /** Time until the caller's deadline, in ms. */
  readonly timeoutMs: number | undefined;
}

const LOCK_CONTRACTOR_JOB: PreparedStatement = {
  name: 'lock-contractor-job',
  text: `select ${CONTRACTOR_JOB_COLUMNS} from jobs job
    where id = $1 and selling_company_id = $2 and installer_company_id = $3 for no key update`,
};

/**
 * Appends a note to a job, on a new line, and returns the job as JSON text.
 *
 * The note advances the time of the last update for the selling company by at least 1 ms, so that the times of notes follow
 * their order. The installer's view of the job, its version and its feed stay unchanged.
 *
 * One transaction holds the note, the message to the platform and the outcome of the key. Fails with `not_found` for a job
 * outside the boundary, also for a replay, then with `note_limit_reached`. Locks: the key's row, then the job, so that
 * concurrent notes are all kept.
 */
export async function appendJobNote(
  deps: WriteDeps,
  given: JobNote,
): Promise<{ readonly resource: string; readonly idempotency: IdempotencyMark | undefined }> {
  const { sellingCompanyId, installerCompanyId, jobId, note } = given;
  const logged = { companyId: sellingCompanyId, installerCompanyId, jobId };
  const settled = await runIdempotent(deps, {
    companyId: sellingCompanyId,
    binding: given.binding && {
      ...given.binding,
      // The keys of a company share one space, but a key bound to another installer must not replay this one's job.
      operation: `${given.binding.operation} for ${installerCompanyId}`,
    },
    timeoutMs: given.timeoutMs,
    result: z.string(),
    load: async (tx) =>
      (
        await tx.query<ContractorJobRow>(LOCK_CONTRACTOR_JOB, [jobId, sellingCompanyId, installerCompanyId])
      )[0],
    checkReplay: (row) => {
      if (row === undefined) throw notFound('job');
    },
    work: (tx, row) => {
      if (row === undefined) throw notFound('job');
      const installerNote = row.installerNote === null ? note : `${row.installerNote}\n${note}`;
      if (characters(installerNote) > LIMITS.installerNoteLength) {
        return { kind: 'refused', refusal: noteLimitReached() };
      }

      const lastUpdated = new Date(Math.max(deps.clock().getTime(), row.lastUpdated.getTime() + 1));
      void tx.query('update jobs set installer_note = $2, last_updated_at = $3 where id = $1', [
        jobId,
        installerNote,
        lastUpdated,
      ]);
      enqueueMessage(tx, {
        exchange: PARTNER_EVENTS,
        schema: JobNoteAddedSchema,
        message: {
          jobId,
          sellingCompanyId,
          installerCompanyId,
          note,
          addedAt: timestampFromDate(lastUpdated),
        },
      });
      const job = shownContractorJob({ ...row, installerNote, lastUpdated });
      return { kind: 'done', result: JSON.stringify(job) };
    },
  }).catch((error: unknown) => {
    const { reason, attributes } = ServiceError.from(error);
    const replayed = attributes.idempotency?.replayed ?? false;
    deps.logger.info({ ...logged, reason, replayed }, 'job.note_refused');
    throw error;
  });
  const { result, idempotency } = settled;
  deps.logger.info({ ...logged, replayed: idempotency?.replayed ?? false }, 'job.note_added');
  return { resource: result, idempotency };
}

/** Counts Unicode code points. */
function characters(text: string): number {
  return Array.from(text).length;
}

function noteLimitReached(): ServiceError {
  const limit = LIMITS.installerNoteLength.toLocaleString('en-US');
  return new ServiceError(
    'note_limit_reached',
    `note: with it the notes of this job would be longer than ${limit} characters together`,
  );
}
