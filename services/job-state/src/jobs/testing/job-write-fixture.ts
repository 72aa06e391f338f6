import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import {
  type WebhookEnvelope,
  webhookEnvelope,
} from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { type Logger, silentLogger } from '@partner/kernel/telemetry/logger';
import type { Database } from '../../database/database.js';
import { createTestDatabase } from '../../testing/test-database.js';
import {
  ACKNOWLEDGEMENT,
  binding,
  insertAssignedJob,
  insertCompany,
  insertMember,
  TEST_NOW,
} from '../../testing/test-jobs.js';
import type { JobWrite, JobWritten } from '../change-job.js';
import {
  type AssignmentsWrite,
  recordStatusEvent,
  replaceAssignments,
  type ScheduleWrite,
  setSchedule,
  type StatusEvent,
} from '../job-writes.js';

/** A write with defaults for the fields that a test omits: the installer's first write to the job. */
type Write<W extends JobWrite> = (
  write: Partial<W> & Pick<JobWrite, 'jobId'>,
  on?: { readonly database?: Pick<Database, 'transaction'>; readonly logger?: Logger },
) => Promise<JobWritten>;

/** The stored state of a job besides its projection. */
interface StoredJob {
  readonly version: number;
  readonly status: string;
  readonly schedule_status: string;
  readonly schedule_starts_at: Date | null;
  readonly schedule_ends_at: Date | null;
  readonly schedule_time_zone: string | null;
  readonly technician_assignments: readonly { readonly membershipId: string; readonly assignedAt: string }[];
  readonly projection: string;
  readonly updated_at: Date;
  readonly last_updated_at: Date;
  /** Rows in the history of the job's statuses. */
  readonly history: number;
  /** Entries in the feed of its company. */
  readonly entries: number;
  /** Events about it, besides the assignment. */
  readonly events: number;
  /** Unpublished messages about it. */
  readonly messages: number;
}

export type JobWriteFixture = Awaited<ReturnType<typeof openJobWriteFixture>>;

/** Default schedule of the tests. */
export const TEST_SCHEDULE = {
  status: 'CONFIRMED',
  startsAt: new Date('2026-10-05T15:00:00.000Z'),
  endsAt: new Date('2026-10-05T19:00:00.000Z'),
  timeZone: 'America/Denver',
} as const;

/** Creates a separate database with a seller and two installer companies, and helpers for tests of job writes. */
export async function openJobWriteFixture({ poolSize = 24 } = {}) {
  const testDatabase = await createTestDatabase({ poolSize });
  const { database } = testDatabase;
  const seller = await insertCompany(database, 'SALES');
  const installer = await insertCompany(database, 'INSTALLER');
  let now = TEST_NOW;
  const deps = { database, clock: () => now, logger: silentLogger };
  const first = () => ({
    companyId: installer,
    binding: binding(newId('evt')),
    expectedVersion: 1,
    timeoutMs: undefined,
  });
  /** Changes the status; to ACKNOWLEDGED by default. */
  const record: Write<StatusEvent> = (write, on) =>
    recordStatusEvent({ ...deps, ...on }, { ...ACKNOWLEDGEMENT, ...first(), ...write });
  /** Sets the schedule; a firm one of a few hours by default. */
  const schedule: Write<ScheduleWrite> = (write, on) =>
    setSchedule({ ...deps, ...on }, { ...first(), submitted: TEST_SCHEDULE, ...write });
  /** Replaces the technicians; none by default. */
  const assign: Write<AssignmentsWrite> = (write, on) =>
    replaceAssignments({ ...deps, ...on }, { ...first(), membershipIds: [], ...write });

  return {
    ...{ database, seller, installer, record, schedule, assign },
    otherInstaller: await insertCompany(database, 'INSTALLER'),
    /** Sets the clock of the writes; TEST_NOW at first. */
    setNow(instant: Date) {
      now = instant;
    },
    /** A job of the installer, or of another company, at version 1. */
    job: (companyId = installer) => insertAssignedJob(database, seller, companyId),
    /** An active technician of the installer by default. */
    technician: (membership: Partial<Parameters<typeof insertMember>[1]> = {}) =>
      insertMember(database, { companyId: installer, role: 'TECHNICIAN', ...membership }),
    async stored(jobId: string): Promise<StoredJob> {
      const [job] = await database.query<Omit<StoredJob, 'messages'>>(
        `select version, status, schedule_status, schedule_starts_at, schedule_ends_at, schedule_time_zone,
           technician_assignments, projection, updated_at, last_updated_at,
           (select count(*)::int from job_status_events where job_id = $1) as history,
           (select count(*)::int from feed_entries where job_id = $1) as entries,
           (select count(*)::int from events where resource_id = $1 and name <> 'install.job_assigned') as events
         from jobs where id = $1`,
        [jobId],
      );
      invariant(job, 'the job exists');
      const outbox = await database.query<{ body: Buffer }>('select body from outbox');
      return { ...job, messages: outbox.filter(({ body }) => body.includes(jobId)).length };
    },
    /** The events about the job after the assignment, by version, then by name. */
    async eventsOf(jobId: string): Promise<readonly WebhookEnvelope[]> {
      const rows = await database.query<{ body: Buffer }>(
        `select body from events where resource_id = $1 and name <> 'install.job_assigned'
         order by resource_version, name`,
        [jobId],
      );
      return rows.map(({ body }) => webhookEnvelope.parse(JSON.parse(body.toString('utf8'))));
    },
    /** The messages to the platform about the job of one schema, oldest first. */
    async messagesOf<Desc extends DescMessage>(
      schema: Desc,
      jobId: string,
    ): Promise<readonly MessageShape<Desc>[]> {
      const rows = await database.query<{ body: Buffer }>(
        'select body from outbox where type = $1 order by id',
        [schema.typeName],
      );
      return rows.filter(({ body }) => body.includes(jobId)).map(({ body }) => fromBinary(schema, body));
    },
    /** To call at the end. */
    close: () => testDatabase.drop(),
  };
}
