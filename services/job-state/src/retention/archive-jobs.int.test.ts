import { expect, test } from '@jest/globals';
import { makePartitionsAhead } from './run-retention.js';
import { at, database, metric, patient, run, runLoop } from './testing/retention-fixture.js';
import { holdTransaction } from '../testing/hold-transaction.js';
import { insertAssignedJob, insertCompany } from '../testing/test-jobs.js';

const OPEN = ['jobs_open', 'job_status_events_open'];

/** Jobs with a status and the day of their last change, each with one entry of its history. */
async function insertJobs(...jobs: readonly (readonly [status: string, day: number])[]) {
  const seller = await insertCompany(database, 'SALES');
  const installer = await insertCompany(database, 'INSTALLER');
  const ids: string[] = [];
  for (const [status, day] of jobs) {
    const id = await insertAssignedJob(database, seller, installer);
    const change = 'update jobs set status = $2, last_updated_at = $3 where id = $1';
    await database.query(change, [id, status, at(day)]);
    await database.query(
      `insert into job_status_events (job_id, version, company_id, previous_status, status, occurred_at, recorded_at)
       values ($1, 2, $2, 'ASSIGNED', $3, $4, $4)`,
      [id, installer, status, at(day)],
    );
    ids.push(id);
  }
  return ids;
}

/** The partitions of a job and of its history. */
async function placesOf(jobId: string | undefined) {
  const rows = await database.query<{ place: string }>(
    `select tableoid::regclass::text as place from jobs where id = $1
     union all select tableoid::regclass::text from job_status_events where job_id = $1`,
    [jobId],
  );
  return rows.map(({ place }) => place);
}

test('a closed job moves with its history to the month of the archive, 130 days after its last change [JOB-6]', async () => {
  await makePartitionsAhead(database, () => at(130));
  const closed = [['COMPLETE', 0] as const, ['CANCELLED', 0] as const];
  const [complete, cancelled, young, blocked] = await insertJobs(
    ...closed,
    ['COMPLETE', 1],
    ['IN_PROGRESS', 0],
  );
  await run(at(130));
  for (const id of [complete, cancelled, young, blocked]) expect(await placesOf(id)).toEqual(OPEN);

  await runLoop(at(130.5));
  for (const id of [complete, cancelled]) {
    expect(await placesOf(id)).toEqual(['jobs_p20250412', 'job_status_events_p20250412']);
  }
  for (const id of [young, blocked]) expect(await placesOf(id)).toEqual(OPEN);
  expect(await metric('partner_retention_archived_jobs_total')).toBe('2');
  // The archive is kept, whatever its age.
  await run(at(5_000));
  expect(await placesOf(complete)).toEqual(['jobs_p20250412', 'job_status_events_p20250412']);
  expect(await placesOf(blocked)).toEqual(OPEN);
});

test('a closed job that is locked moves with a later run', async () => {
  await makePartitionsAhead(database, () => at(131));
  const [locked, free] = await insertJobs(['COMPLETE', 0], ['COMPLETE', 0]);
  const holder = await holdTransaction(patient(), (tx) =>
    tx.query('select from jobs where id = $1 for no key update', [locked]),
  );
  await run(at(131));
  expect([await placesOf(locked), await placesOf(free)]).toEqual([OPEN, expect.not.arrayContaining(OPEN)]);
  await holder.release();
  await run(at(131));
  expect(await placesOf(locked)).not.toEqual(OPEN);
});
