import { fromBinary } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { JobNoteAddedSchema } from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import { contractorJob } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import { JOB_STATUSES, SCHEDULE_STATUSES } from '@partner/proto-contracts/resources/job/job';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import type { Database } from '../database/database.js';
import { appendJobNote, listContractorJobs } from '../testing/partner-calls.js';
import { refusalOf } from '../testing/refusal-of.js';
import { database } from '../testing/file-database.js';
import { crashingBeforeCommit } from '../testing/hold-transaction.js';
import { binding, insertAssignedJob, insertCompany, TEST_NOW } from '../testing/test-jobs.js';
import { contractorJobStage } from './contractor-jobs.js';

/** A sales company, and the installer company that its key is bound to. */
interface Boundary {
  readonly companyId: string;
  readonly installerCompanyId: string;
}
let boundary: Boundary;
let other: Boundary;

/** Half a minute after the creation of the jobs. */
const NOTED = new Date(TEST_NOW.getTime() + 30_000);

beforeAll(async () => {
  [boundary, other] = [await newBoundary(), await newBoundary()];
});

async function newBoundary(): Promise<Boundary> {
  return {
    companyId: await insertCompany(database, 'SALES'),
    installerCompanyId: await insertCompany(database, 'INSTALLER'),
  };
}

function newJob({ companyId, installerCompanyId } = boundary): Promise<string> {
  return insertAssignedJob(database, companyId, installerCompanyId);
}

/** A job of the seller that no installer company has. */
async function newUnassignedJob(): Promise<string> {
  const jobId = newId('job');
  await database.query(
    `insert into jobs (id, selling_company_id, version, status, customer, scope, created_at, updated_at, last_updated_at)
     values ($1, $2, 1, 'ASSIGNED', '{}', '{}', $3, $3, $3)`,
    [jobId, boundary.companyId, TEST_NOW],
  );
  return jobId;
}

function append(
  note: Partial<Parameters<typeof appendJobNote>[1]>,
  on: Pick<Database, 'transaction'> = database,
) {
  return appendJobNote(
    { database: on, clock: () => NOTED },
    { ...boundary, note: 'Gate code 1234', ...note },
  );
}

/** Appends a note and reads the job in the response. */
async function appended(given: Parameters<typeof append>[0]) {
  return contractorJob.parse(JSON.parse((await append(given)).json));
}

async function listed(of: Boundary, take = 200) {
  return (await listContractorJobs({ database }, { ...of, take })).jobs;
}

const setUpdated = (jobId: string, at: Date) =>
  database.query('update jobs set last_updated_at = $2 where id = $1', [jobId, at]);

/** The complete stored state of a job. */
async function stored(jobId: string): Promise<Record<string, unknown>> {
  const [row] = await database.query<Record<string, unknown>>(
    `select job.*,
       (select count(*)::int from feed_entries where job_id = $1) as feed_entries,
       (select count(*)::int from events where resource_id = $1) as events,
       (select count(*)::int from job_status_events where job_id = $1) as history
     from jobs as job where id = $1`,
    [jobId],
  );
  invariant(row, 'the job is there');
  return row;
}

/** The messages to the platform about a job's notes, in order of creation. */
async function messagesAbout(jobId: string) {
  const rows = await database.query<{ body: Buffer; exchange: string }>(
    'select body, exchange from outbox where type = $1 order by id',
    [JobNoteAddedSchema.typeName],
  );
  return rows
    .map(({ body, exchange }) => ({ exchange, message: fromBinary(JobNoteAddedSchema, body) }))
    .filter(({ message }) => message.jobId === jobId);
}

describe('a note', () => {
  test('is the first line of the notes, and changes only the last update of the job', async () => {
    const jobId = await newJob();
    const before = await stored(jobId);
    const { json, idempotency } = await append({ jobId });
    const job = contractorJob.parse(JSON.parse(json));
    expect(idempotency).toBeUndefined();
    expect(job).toEqual({
      ...{ id: jobId, workOrderNo: 'WO-1', stage: 'SOLD' },
      ...{ address: '12 Maple Street', city: 'Boulder', state: 'CO', zip: '80302' },
      ...{ installerNote: 'Gate code 1234', lastUpdated: NOTED.toISOString() },
    });
    const changed = { installer_note: 'Gate code 1234', last_updated_at: NOTED };
    expect(await stored(jobId)).toEqual({ ...before, ...changed });
    expect(await listed(boundary, 1)).toEqual([job]);
  });

  test('after another one is on a new line, exactly as given, and published to the platform [CONTRACTOR-4]', async () => {
    const jobId = await newJob();
    const notes = ['one', ' two\n🏠 ', 'three'];
    for (const note of notes.slice(0, -1)) await append({ jobId, note });
    const job = await appended({ jobId, note: 'three' });
    expect(job.installerNote).toBe('one\n two\n🏠 \nthree');
    expect(await stored(jobId)).toMatchObject({ installer_note: job.installerNote });
    const { companyId: sellingCompanyId, installerCompanyId } = boundary;
    const about = { jobId, sellingCompanyId, installerCompanyId };
    const messages = await messagesAbout(jobId);
    expect(messages).toMatchObject(
      notes.map((note) => ({ exchange: 'partner.events', message: { ...about, note } })),
    );
    expect(messages.map(({ message: { addedAt } }) => addedAt && timestampDate(addedAt))).toEqual(
      notes.map((_, index) => new Date(NOTED.getTime() + index)),
    );
  });

  test('on a job that was updated later by another clock still advances its last update', async () => {
    const jobId = await newJob();
    const ahead = new Date(NOTED.getTime() + 5_000);
    await setUpdated(jobId, ahead);
    const job = await appended({ jobId });
    const after = new Date(ahead.getTime() + 1);
    expect(job.lastUpdated).toBe(after.toISOString());
    expect(await stored(jobId)).toMatchObject({ last_updated_at: after });
  });

  test('concurrent with many others is kept like all of them, and their times follow their order', async () => {
    const jobId = await newJob();
    const notes = Array.from({ length: 24 }, (_, index) => `note ${index}`);
    const keyOf = (index: number) => (index % 2 === 0 ? binding(newId('evt')) : undefined);
    await Promise.all(notes.map((note, index) => append({ jobId, note, binding: keyOf(index) })));
    const { installer_note: all } = await stored(jobId);
    const lines = String(all).split('\n');
    expect([...lines].sort()).toEqual([...notes].sort());
    const messages = await messagesAbout(jobId);
    const times = messages.map(({ message: { note, addedAt } }) => ({
      note,
      at: addedAt === undefined ? 0 : timestampDate(addedAt).getTime(),
    }));
    expect([...times].sort((a, b) => a.at - b.at).map(({ note }) => note)).toEqual(lines);
    expect(new Set(times.map(({ at }) => at)).size).toBe(notes.length);
  });

  test('on a job outside the boundary is not found, and leaves the key unused', async () => {
    const key = binding(newId('evt'));
    const soldByOther = await newJob({ ...boundary, companyId: other.companyId });
    const doneByOther = await newJob({ ...boundary, installerCompanyId: other.installerCompanyId });
    const unassigned = await newUnassignedJob();
    for (const jobId of [soldByOther, doneByOther, unassigned, newId('job'), 'no id at all']) {
      const { reason, message } = await refusalOf(append({ jobId, binding: key }));
      expect({ reason, message }).toEqual({ reason: 'not_found', message: 'no such job' });
      expect(await messagesAbout(jobId)).toEqual([]);
    }
    for (const jobId of [soldByOther, doneByOther, unassigned]) {
      expect(await stored(jobId)).toMatchObject({ installer_note: null, last_updated_at: TEST_NOW });
    }
    const jobId = await newJob();
    expect((await append({ jobId, binding: key })).idempotency).toMatchObject({ replayed: false });
  });

  test.each(['n', '🏠'])(
    'may fill the notes up to 20,000 characters such as %s, and a refusal is stored under its key [CONTRACTOR-4]',
    async (one) => {
      const jobId = await newJob();
      for (let count = 0; count < 9; count += 1) await append({ jobId, note: one.repeat(2_000) });
      // 9 notes and their 8 line ends, then one more line end.
      const left = 20_000 - 9 * 2_000 - 8 - 1;
      const before = await stored(jobId);
      const key = binding(newId('evt'));
      for (const [given, replayed] of [
        [undefined, undefined],
        [key, false],
        [key, true],
      ] as const) {
        const error = await refusalOf(append({ jobId, note: one.repeat(left + 1), binding: given }));
        expect({ reason: error.reason, message: error.message }).toEqual({
          reason: 'note_limit_reached',
          message: 'note: would make the notes of this job longer than 20,000 characters in total',
        });
        expect(error.attributes.idempotency?.replayed).toBe(replayed);
      }
      expect(await stored(jobId)).toEqual(before);
      expect(await messagesAbout(jobId)).toHaveLength(9);

      const job = await appended({ jobId, note: one.repeat(left) });
      expect(Array.from(job.installerNote ?? '')).toHaveLength(20_000);
      expect(await refusalOf(append({ jobId, note: 'x' }))).toMatchObject({ reason: 'note_limit_reached' });
    },
  );
});

describe('a request to append a note', () => {
  test('that fails half way leaves no trace', async () => {
    const jobId = await newJob();
    const before = await stored(jobId);
    const crashed = append({ jobId }, crashingBeforeCommit(database));
    await expect(crashed).rejects.toMatchObject({ reason: 'internal' });
    expect(await stored(jobId)).toEqual(before);
    expect(await messagesAbout(jobId)).toEqual([]);
  });

  test('repeated with its key after the job has left the installer is not found, and has no second effect once it is back [IDEM-6]', async () => {
    const jobId = await newJob();
    const key = binding(newId('evt'));
    const first = await append({ jobId, binding: key });
    const give = (installerCompanyId: string) =>
      database.query('update jobs set installer_company_id = $2 where id = $1', [jobId, installerCompanyId]);
    await give(other.installerCompanyId);
    const repeat = await refusalOf(append({ jobId, binding: key }));
    expect(repeat).toMatchObject({ reason: 'not_found', message: 'no such job' });
    expect(repeat.attributes).toEqual({});
    expect(await refusalOf(append({ jobId }))).toMatchObject({ reason: 'not_found' });

    await give(boundary.installerCompanyId);
    const again = await append({ jobId, binding: key });
    expect(again).toMatchObject({ json: first.json, idempotency: { replayed: true } });
    expect(await messagesAbout(jobId)).toHaveLength(1);
  });

  test('is not repeated to a key that is bound to another installer', async () => {
    const jobId = await newJob();
    const key = binding(newId('evt'));
    await append({ jobId, binding: key });
    const { installerCompanyId } = other;
    const refusal = await refusalOf(append({ jobId, binding: key, installerCompanyId }));
    expect(refusal.reason).toBe('idempotency_mismatch');
    expect(await messagesAbout(jobId)).toHaveLength(1);
  });
});

describe('the list of sold jobs', () => {
  const idsOf = async (of: Boundary, take?: number) => (await listed(of, take)).map(({ id }) => id);

  test('ends at the boundary: it excludes another seller’s, another installer’s and unassigned jobs', async () => {
    const [one, two] = [await newBoundary(), await newBoundary()];
    const crossed = [
      { ...one, companyId: two.companyId },
      { ...one, installerCompanyId: two.installerCompanyId },
    ] as const;
    await newUnassignedJob();
    for (const of of [one, ...crossed]) {
      const jobId = await newJob(of);
      expect(await idsOf(of)).toEqual([jobId]);
    }
    expect(await idsOf(two)).toEqual([]);
  });

  test('is ordered by last update, newest first, then by creation [CONTRACTOR-2]', async () => {
    const of = await newBoundary();
    const update = (jobId: string, seconds: number) =>
      setUpdated(jobId, new Date(TEST_NOW.getTime() + seconds * 1_000));
    const ids: string[] = [];
    for (const seconds of [20, 0, 30, 20, 10]) {
      const jobId = await newJob(of);
      await update(jobId, seconds);
      ids.push(jobId);
    }
    const [second, fifth = '', first, alsoSecond, fourth] = ids;
    expect(await idsOf(of)).toEqual([first, alsoSecond, second, fourth, fifth]);
    expect(await idsOf(of, 2)).toEqual([first, alsoSecond]);
    await update(fifth, 40);
    expect(await idsOf(of, 1)).toEqual([fifth]);
  });

  test('shows a missing work order number and missing notes as null [CONTRACTOR-1]', async () => {
    const of = await newBoundary();
    const id = await newJob(of);
    await database.query('update jobs set work_order_no = null where id = $1', [id]);
    expect(await listed(of)).toMatchObject([{ id, workOrderNo: null, installerNote: null }]);
  });
});

/** The stage for each schedule, in the order UNSCHEDULED, TENTATIVE, CONFIRMED, CANCELLED. */
const STAGES = {
  ASSIGNED: ['SOLD', 'SCHEDULED', 'SCHEDULED', 'SOLD'],
  ACKNOWLEDGED: ['SOLD', 'SCHEDULED', 'SCHEDULED', 'SOLD'],
  EN_ROUTE: ['IN_PROGRESS', 'IN_PROGRESS', 'IN_PROGRESS', 'IN_PROGRESS'],
  ON_SITE: ['IN_PROGRESS', 'IN_PROGRESS', 'IN_PROGRESS', 'IN_PROGRESS'],
  BLOCKED: ['BLOCKED', 'BLOCKED', 'BLOCKED', 'BLOCKED'],
  IN_PROGRESS: ['IN_PROGRESS', 'IN_PROGRESS', 'IN_PROGRESS', 'IN_PROGRESS'],
  COMPLETE: ['COMPLETE', 'COMPLETE', 'COMPLETE', 'COMPLETE'],
  CANCELLED: ['CANCELLED', 'CANCELLED', 'CANCELLED', 'CANCELLED'],
} as const;

test.each(JOB_STATUSES)(
  'a job that is %s has the stage of the table for any schedule [CONTRACTOR-5]',
  (status) => {
    const order = ['UNSCHEDULED', 'TENTATIVE', 'CONFIRMED', 'CANCELLED'] as const;
    expect([...SCHEDULE_STATUSES].sort()).toEqual([...order].sort());
    expect(order.map((schedule) => contractorJobStage(status, schedule))).toEqual(STAGES[status]);
  },
);
