import { listJobFeedOperation } from '@partner/proto-contracts/resources/feed-entry/operations';
import {
  getJobOperation,
  recordStatusEventOperation,
  replaceAssignmentsOperation,
  setScheduleOperation,
} from '@partner/proto-contracts/resources/job/operations';
import { listTechniciansOperation } from '@partner/proto-contracts/resources/technician/operations';
import { type Implementation, implement, type OperationRequest } from '@partner/kernel/amqp/implement';
import type { OperationReply } from '@partner/kernel/amqp/operation-call';
import { invariant } from '@partner/kernel/process/invariant';
import { type Database, queryWithin } from '../database/database.js';
import type { WriteDeps } from '../idempotency/run-idempotent.js';
import type { JobWrite, JobWritten } from './change-job.js';
import { getJob } from './get-job.js';
import { recordStatusEvent, replaceAssignments, setSchedule } from './job-writes.js';
import { listJobFeed } from './list-job-feed.js';
import { listTechnicians } from './list-technicians.js';

/** The operations with which installer companies read and change their jobs. */
export function jobOperations(
  deps: WriteDeps & {
    readonly database: Pick<Database, 'query'>;
    /** Retention of feed entries, in days. */
    readonly feedDays: number;
  },
): readonly Implementation[] {
  const within = ({
    companyId,
    timeoutMs,
  }: Pick<OperationRequest<unknown, unknown>, 'companyId' | 'timeoutMs'>) =>
    queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
  return [
    implement(listJobFeedOperation, ({ companyId, query, after, ...request }) =>
      listJobFeed(within({ companyId, ...request }), { companyId, after, ...query }, deps.feedDays),
    ),
    implement(getJobOperation, async (request) => {
      const { companyId, params } = request;
      const resource = await getJob({ database: within(request) }, { companyId, jobId: params.id });
      return { json: `{"resource":${resource}}` };
    }),
    implement(recordStatusEventOperation, async (request) => {
      const { status, occurredAt, note = null, blockerCode = null } = request.body;
      const event = { status, occurredAt: new Date(occurredAt), note, blockerCode };
      return writtenReply(await recordStatusEvent(deps, { ...jobWrite(request), ...event }));
    }),
    implement(setScheduleOperation, async (request) => {
      const { status, startsAt, endsAt, timeZone } = request.body;
      const submitted = { status, startsAt: instantOf(startsAt), endsAt: instantOf(endsAt), timeZone };
      return writtenReply(await setSchedule(deps, { ...jobWrite(request), submitted }));
    }),
    implement(replaceAssignmentsOperation, async (request) => {
      const { membershipIds } = request.body;
      return writtenReply(await replaceAssignments(deps, { ...jobWrite(request), membershipIds }));
    }),
    implement(listTechniciansOperation, async (request) => {
      const { companyId, after, query } = request;
      const page = await listTechnicians(within(request), { companyId, after, limit: query.limit });
      const { technicians, next } = page;
      return {
        json: `{"technicians":${JSON.stringify(technicians)}}`,
        ...(next !== undefined && { next }),
      };
    }),
  ];
}

function jobWrite({
  companyId,
  params,
  body,
  idempotencyKey,
  timeoutMs,
}: OperationRequest<unknown, { readonly expectedVersion: number }, 'id'>): JobWrite {
  invariant(idempotencyKey, 'the operation requires an Idempotency-Key');
  return {
    companyId,
    jobId: params.id,
    binding: idempotencyKey,
    expectedVersion: body.expectedVersion,
    timeoutMs: timeoutMs(),
  };
}

function writtenReply({ resource, idempotency }: JobWritten): OperationReply {
  return { json: `{"resource":${resource}}`, idempotency };
}

function instantOf(dateTime: string | null): Date | null {
  return dateTime === null ? null : new Date(dateTime);
}
