import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from '@jest/globals';
import {
  JobStatus,
  JobStatusChangedSchema,
} from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { EVENT_CATALOGUE } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import { newId } from '@partner/kernel/process/ids';
import { binding, TEST_NOW } from '../testing/test-jobs.js';
import { refusalOf } from '../testing/refusal-of.js';
import { fixture } from './testing/file-jobs.js';

describe('a status event', () => {
  test('is stored, added to the history, and published to the company and the platform [EVENT-1, EVENT-4]', async () => {
    const jobId = await fixture.job();
    const { resource, idempotency } = await fixture.record({ jobId, note: 'on it' });

    expect(JSON.parse(resource)).toMatchObject({ id: jobId, version: 2, status: 'ACKNOWLEDGED' });
    expect(idempotency).toEqual({
      replayed: false,
      expiresAt: new Date(TEST_NOW.getTime() + 45 * 24 * 3_600_000),
    });
    expect(await fixture.stored(jobId)).toMatchObject({ status: 'ACKNOWLEDGED' });
    const history = await fixture.database.query('select * from job_status_events where job_id = $1', [
      jobId,
    ]);
    expect(history).toEqual([
      {
        job_id: jobId,
        version: 2,
        company_id: fixture.installer,
        previous_status: 'ASSIGNED',
        status: 'ACKNOWLEDGED',
        occurred_at: TEST_NOW,
        note: 'on it',
        blocker_code: null,
        recorded_at: TEST_NOW,
      },
    ]);
    const events = await fixture.eventsOf(jobId);
    expect(events).toMatchObject([
      { event: 'install.status_changed', resource: { type: 'install_job', id: jobId, version: 2 } },
    ]);
    expect(EVENT_CATALOGUE['install.status_changed'].data.parse(events[0]?.data)).toEqual({
      jobId,
      previousStatus: 'ASSIGNED',
      status: 'ACKNOWLEDGED',
      occurredAt: TEST_NOW.toISOString(),
      note: 'on it',
      blockerCode: null,
    });
    expect(await fixture.messagesOf(JobStatusChangedSchema, jobId)).toMatchObject([
      {
        jobId,
        version: 2,
        previousStatus: JobStatus.ASSIGNED,
        status: JobStatus.ACKNOWLEDGED,
        occurredAt: timestampFromDate(TEST_NOW),
        note: 'on it',
        companyId: fixture.installer,
      },
    ]);
  });

  test.each([
    // The selling side's view of the job, and the fields of the readiness event when PERMIT blocks it.
    { ready: true, codes: [], emitsEvent: true },
    { ready: false, codes: ['PERMIT'], emitsEvent: false },
    { ready: false, codes: ['WEATHER', 'PERMIT'], emitsEvent: false },
    { ready: false, codes: ['WEATHER'], emitsEvent: true },
    { ready: false, codes: [], emitsEvent: true },
    { ready: true, codes: ['PERMIT'], emitsEvent: true },
  ])(
    'of a job with ready $ready and $codes for its seller emits readiness only if the shown readiness changes [EVENT-4]',
    async ({ ready, codes, emitsEvent }) => {
      const jobId = await fixture.job();
      await fixture.database.query(
        'update jobs set readiness_ready = $2, readiness_blocker_codes = $3 where id = $1',
        [jobId, ready, codes],
      );
      await fixture.record({ jobId, status: 'BLOCKED', blockerCode: 'PERMIT' });
      await fixture.record({ jobId, status: 'ACKNOWLEDGED', expectedVersion: 2 });
      const events = await fixture.eventsOf(jobId);
      const readiness = events.filter(({ event }) => event === 'install.readiness_changed');
      expect(readiness.map(({ data }) => data)).toEqual(
        emitsEvent
          ? [
              { jobId, ready: false, blockerCodes: [...new Set([...codes, 'PERMIT'])] },
              { jobId, ready, blockerCodes: codes },
            ]
          : [],
      );
      expect(events).toHaveLength(emitsEvent ? 4 : 2);
    },
  );
});

describe('a request to record a status event', () => {
  test('may use a key that another company has used', async () => {
    const key = binding(newId('evt'));
    const companyId = fixture.otherInstaller;
    await fixture.record({ jobId: await fixture.job(), binding: key });
    const other = await fixture.record({ jobId: await fixture.job(companyId), companyId, binding: key });
    expect(other.idempotency).toMatchObject({ replayed: false });
  });

  test('that occurred too far from now is refused before the job is loaded, and leaves the key unused [LIMIT-5, STATUS-1]', async () => {
    const key = binding(newId('evt'));
    const shift = (ms: number) => new Date(TEST_NOW.getTime() + ms);
    const jobId = await fixture.job();
    for (const [occurredAt, message] of [
      [shift(5 * 60_000 + 1), 'must be at most 5 minutes in the future'],
      [shift(-30 * 24 * 3_600_000 - 1), 'must be at most 30 days in the past'],
    ] as const) {
      for (const id of [jobId, newId('job')]) {
        expect(await refusalOf(fixture.record({ jobId: id, binding: key, occurredAt }))).toMatchObject({
          reason: 'invalid_argument',
          message: `occurredAt: ${message}`,
          attributes: { details: [{ path: 'occurredAt', message }] },
        });
      }
    }
    expect(await fixture.stored(jobId)).toMatchObject({ version: 1, history: 0 });
    const atTheEdge = await fixture.record({ jobId, binding: key, occurredAt: shift(5 * 60_000) });
    expect(atTheEdge.idempotency).toMatchObject({ replayed: false });
  });

  test('replayed after it has become too old still has its recorded outcome', async () => {
    const jobId = await fixture.job();
    const [moved, stale] = [binding(newId('evt')), binding(newId('evt'))];
    const occurredAt = new Date(TEST_NOW.getTime() - 30 * 24 * 3_600_000);
    const first = await fixture.record({ jobId, binding: moved, occurredAt });
    await refusalOf(fixture.record({ jobId, binding: stale, occurredAt }));
    try {
      fixture.setNow(new Date(TEST_NOW.getTime() + 24 * 3_600_000));
      const repeated = await fixture.record({ jobId, binding: moved, occurredAt });
      expect(repeated).toEqual({ ...first, idempotency: { ...first.idempotency, replayed: true } });
      expect(await refusalOf(fixture.record({ jobId, binding: stale, occurredAt }))).toMatchObject({
        reason: 'stale_version',
        attributes: { idempotency: { replayed: true } },
      });
    } finally {
      fixture.setNow(TEST_NOW);
    }
  });
});
