import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import type { Caller } from '@partner/proto-contracts/call';
import { JobNoteAddedSchema } from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import type {
  ContractorJob,
  ContractorJobs,
  ContractorJobStageName,
} from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import {
  appendJobNoteOperation,
  listContractorJobsOperation,
} from '@partner/proto-contracts/resources/contractor-job/operations';
import type { JobStatusName } from '@partner/proto-contracts/resources/job/job';
import { PARTNER_EVENTS } from '@partner/proto-contracts/topology';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { ERASED_TEXT } from '@partner/proto-contracts/values/redacted';
import { implement } from '@partner/kernel/amqp/implement';
import { assertNever, invariant } from '@partner/kernel/process/invariant';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import { z } from 'zod';
import { column, computed, type RowOf, selectList } from '../database/columns.js';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Database } from '../database/database.js';
import { logOutcome, runIdempotent, type WriteDeps } from '../idempotency/run-idempotent.js';
import { lockWithArchive, type JobRecord } from '../jobs/job-record.js';
import { enqueueMessage } from '../outbox/enqueue-message.js';
import { pageWithinBytes } from '../rpc/page-within-bytes.js';

/** What an installer-contractor key may see: jobs that its owner sold and that its bound installer performs. */
function boundaryOf(caller: Caller): {
  readonly sellingCompanyId: string;
  readonly installerCompanyId: string;
} {
  invariant(
    caller.kind === 'key' && caller.boundCompanyId !== undefined,
    'a key that may see jobs is bound to an installer company',
  );
  return { sellingCompanyId: caller.companyId, installerCompanyId: caller.boundCompanyId };
}

const ofCustomer = (field: string) => computed<string>((job) => `${job}.customer->>'${field}'`);

/** The address is the only customer data. */
const COLUMNS = {
  id: column<string>('id', 'text'),
  workOrderNo: column<string | null>('work_order_no', 'text'),
  address: ofCustomer('line1'),
  city: ofCustomer('city'),
  state: ofCustomer('state'),
  zip: ofCustomer('zip'),
  status: column<JobStatusName>('status', 'text'),
  schedule: column<JobRecord['schedule']['status']>('schedule_status', 'text'),
  installerNote: column<string | null>('installer_note', 'text'),
  lastUpdated: column<Date>('last_updated_at', 'timestamptz'),
};

type ContractorJobRow = RowOf<typeof COLUMNS>;

/** The columns of a {@link ContractorJobRow}, of rows of `jobs job`. */
const CONTRACTOR_JOB_COLUMNS = selectList(COLUMNS, 'job');

function shownContractorJob({ status, schedule, ...job }: ContractorJobRow): ContractorJob {
  const { id, workOrderNo, address, city, state, zip, installerNote } = job;
  return {
    ...{ id, workOrderNo, address, city, state, zip },
    stage: contractorJobStage(status, schedule),
    installerNote,
    lastUpdated: formatDateTime(job.lastUpdated),
    ...(address === ERASED_TEXT && { redacted: true }),
  };
}

/**
 * Progress of a job in the contractor's terms (spec: ContractorJob).
 *
 * Until a crew is on its way the schedule decides; from then on the status does.
 */
export function contractorJobStage(
  status: JobStatusName,
  schedule: JobRecord['schedule']['status'],
): ContractorJobStageName {
  switch (status) {
    case 'ASSIGNED':
    case 'ACKNOWLEDGED':
      return schedule === 'TENTATIVE' || schedule === 'CONFIRMED' ? 'SCHEDULED' : 'SOLD';
    case 'EN_ROUTE':
    case 'ON_SITE':
    case 'IN_PROGRESS':
      return 'IN_PROGRESS';
    case 'BLOCKED':
    case 'COMPLETE':
    case 'CANCELLED':
      return status;
    default:
      return assertNever(status);
  }
}

const LIST_JOBS: PreparedStatement = {
  name: 'list-contractor-jobs',
  text: `select ${CONTRACTOR_JOB_COLUMNS} from jobs job
     where selling_company_id = $1 and installer_company_id = $2
     order by last_updated_at desc, id desc limit $3`,
};

/**
 * Lists the jobs inside a boundary, most recently updated first (spec: Inbound, GET /inbound/jobs).
 *
 * A list with large notes ends early, see {@link pageWithinBytes}.
 */
export const listContractorJobs = ({ database }: { readonly database: Pick<Database, 'query'> }) =>
  implement(listContractorJobsOperation, async ({ companyId, caller, query: { take }, timeoutMs }) => {
    const { sellingCompanyId, installerCompanyId } = boundaryOf(caller);
    const rows = await database.query<ContractorJobRow>(
      LIST_JOBS,
      [sellingCompanyId, installerCompanyId, take + 1],
      { companyId, timeoutMs: timeoutMs() },
    );
    const { page: jobs, hasMore } = pageWithinBytes(rows.map(shownContractorJob), take, (job) =>
      JSON.stringify(job),
    );
    return { json: JSON.stringify({ jobs: [...jobs], hasMore } satisfies ContractorJobs) };
  });

const LOCK_CONTRACTOR_JOB: PreparedStatement = {
  name: 'lock-contractor-job',
  text: `select ${CONTRACTOR_JOB_COLUMNS} from jobs_open job
    where id = $1 and selling_company_id = $2 and installer_company_id = $3 for no key update`,
};

const SET_INSTALLER_NOTE: PreparedStatement = {
  name: 'set-installer-note',
  text: 'update jobs_open set installer_note = $2, last_updated_at = $3 where id = $1',
};

/**
 * Appends a note to a job, on a new line, and returns the job as JSON text.
 *
 * The note advances the time of the last update for the selling company by at least 1 ms, so that the times of notes follow
 * their order. The installer's view of the job, its version and its feed stay unchanged.
 *
 * One transaction holds the note, the message to the platform and the outcome of the key. Fails with `not_found` for a job
 * outside the boundary, also for a repeat, then with `note_limit_reached`. Locks: the key's row, then the job, so that
 * concurrent notes are all kept.
 */
export const appendJobNote = (deps: WriteDeps) =>
  implement(
    appendJobNoteOperation,
    async ({ caller, params: { id: jobId }, body: { note }, idempotencyKey, timeoutMs }) => {
      const { sellingCompanyId, installerCompanyId } = boundaryOf(caller);
      const writing = runIdempotent(deps, {
        companyId: sellingCompanyId,
        binding: idempotencyKey && {
          ...idempotencyKey,
          // The keys of a company share one space, but another installer's key must not repeat this one's response.
          operation: `${idempotencyKey.operation} for ${installerCompanyId}`,
        },
        timeoutMs: timeoutMs(),
        result: z.string(),
        load: (tx) =>
          lockWithArchive(tx, { jobId, installerCompanyId }, () =>
            tx.query<ContractorJobRow>(LOCK_CONTRACTOR_JOB, [jobId, sellingCompanyId, installerCompanyId]),
          ),
        checkRepeat: (row) => {
          if (row === undefined) throw notFound('job');
        },
        work: (tx, row) => {
          if (row === undefined) throw notFound('job');
          const installerNote = row.installerNote === null ? note : `${row.installerNote}\n${note}`;
          if (characters(installerNote) > LIMITS.installerNoteLength) {
            return { kind: 'refused', refusal: noteLimitReached() };
          }

          const lastUpdated = new Date(Math.max(deps.clock().getTime(), row.lastUpdated.getTime() + 1));
          void tx.query(SET_INSTALLER_NOTE, [jobId, installerNote, lastUpdated]);
          const addedAt = timestampFromDate(lastUpdated);
          enqueueMessage(tx, {
            exchange: PARTNER_EVENTS,
            schema: JobNoteAddedSchema,
            message: { jobId, sellingCompanyId, installerCompanyId, note, addedAt },
          });
          const job = shownContractorJob({ ...row, installerNote, lastUpdated });
          return { kind: 'done', result: JSON.stringify(job) };
        },
      });
      const fields = { companyId: sellingCompanyId, installerCompanyId, jobId };
      const log = { done: 'job.note_added', refused: 'job.note_refused', fields };
      const { result, idempotency } = await logOutcome(deps.logger, log, writing);
      return { json: result, idempotency };
    },
  );

/** Counts Unicode code points. */
function characters(text: string): number {
  return Array.from(text).length;
}

function noteLimitReached(): ServiceError {
  const limit = LIMITS.installerNoteLength.toLocaleString('en-US');
  return new ServiceError(
    'note_limit_reached',
    `note: would make the notes of this job longer than ${limit} characters in total`,
  );
}
