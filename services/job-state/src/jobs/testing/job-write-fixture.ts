import { type DescMessage, fromBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll } from '@jest/globals';
import {
  type WebhookEnvelope,
  webhookEnvelope,
} from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { type Logger, silentLogger } from '@partner/kernel/telemetry/logger';
import type { Database } from '../../database/database.js';
import {
  type JobWritten,
  recordStatusEvent,
  replaceAssignments,
  setSchedule,
} from '../../testing/partner-calls.js';
import { createTestDatabase } from '../../testing/test-database.js';
import {
  ACKNOWLEDGEMENT,
  binding,
  insertAssignedJob,
  insertCompany,
  insertMember,
  TEST_NOW,
} from '../../testing/test-jobs.js';

export interface On {
  readonly database?: Pick<Database, 'transaction'>;
  readonly logger?: Logger;
}

/** A write with defaults for the fields that a test omits: the installer's first write to the job, with a new key. */
export type Write = Omit<Partial<Parameters<typeof recordStatusEvent>[1]>, 'jobId'> & {
  readonly jobId: string;
};

/** Default schedule of the tests. */
export const TEST_SCHEDULE = {
  status: 'CONFIRMED',
  startsAt: new Date('2026-10-05T15:00:00.000Z'),
  endsAt: new Date('2026-10-05T19:00:00.000Z'),
  timeZone: 'America/Denver',
} as const;

async function openJobWriteFixture() {
  const testDatabase = await createTestDatabase({ poolSize: 24 });
  const { database } = testDatabase;
  const seller = await insertCompany(database, 'SALES');
  const installer = await insertCompany(database, 'INSTALLER');
  let now = TEST_NOW;
  const deps = { database, clock: () => now, logger: silentLogger };
  const writing =
    (call: typeof recordStatusEvent, defaults: object) =>
    (write: Write, on: On = {}): Promise<JobWritten> =>
      call(
        { ...deps, ...on },
        {
          ...{ companyId: installer, binding: binding(newId('evt')), expectedVersion: 1 },
          ...{ ...defaults, ...write },
        },
      );

  return {
    ...{ database, seller, installer },
    otherInstaller: await insertCompany(database, 'INSTALLER'),
    /** Changes the status; to ACKNOWLEDGED by default. */
    record: writing(recordStatusEvent, ACKNOWLEDGEMENT),
    /** Sets the schedule; a firm one of a few hours by default. */
    schedule: writing(setSchedule, TEST_SCHEDULE),
    /** Replaces the technicians; none by default. */
    assign: writing(replaceAssignments, { membershipIds: [] }),
    /** Sets the clock of the writes; TEST_NOW at first. */
    setNow(instant: Date) {
      now = instant;
    },
    /** A job of the installer, or of another company, at version 1. */
    job: (companyId = installer) => insertAssignedJob(database, seller, companyId),
    /** An active technician of the installer by default. */
    technician: (membership: Partial<Parameters<typeof insertMember>[1]> = {}) =>
      insertMember(database, { companyId: installer, role: 'TECHNICIAN', ...membership }),
    /** The row of a job, and how much there is about it besides the assignment. */
    async stored(jobId: string): Promise<Readonly<Record<string, unknown>>> {
      const [job] = await database.query(
        `select version, status, schedule_status, schedule_starts_at, schedule_ends_at, schedule_time_zone,
           technician_assignments, projection, updated_at, last_updated_at,
           (select count(*)::int from job_status_events where job_id = $1) as history,
           (select count(*)::int from feed_entries where job_id = $1) as entries,
           (select count(*)::int from events where resource_id = $1 and name <> 'install.job_assigned') as events,
           (select count(*)::int from outbox where position(convert_to($1, 'UTF8') in body) > 0) as messages
         from jobs where id = $1`,
        [jobId],
      );
      invariant(job, 'the job exists');
      return job;
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
    async messagesOf<Desc extends DescMessage>(schema: Desc, jobId: string) {
      const messages = 'select body from outbox where type = $1 order by id';
      const rows = await database.query<{ body: Buffer }>(messages, [schema.typeName]);
      return rows.filter(({ body }) => body.includes(jobId)).map(({ body }) => fromBinary(schema, body));
    },
    close: () => testDatabase.drop(),
  };
}

/** A seller, two installer companies and helpers for writes to jobs, in a separate database of the test file that imports this. */
export let fixture: Awaited<ReturnType<typeof openJobWriteFixture>>;

beforeAll(async () => {
  fixture = await openJobWriteFixture();
});

afterAll(() => fixture.close());
