import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from '@jest/globals';
import {
  JobScheduleChangedSchema,
  ScheduleStatus,
} from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { EVENT_CATALOGUE } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import { TEST_NOW } from '../testing/test-jobs.js';
import { fixture } from './testing/file-jobs.js';
import { TEST_SCHEDULE } from './testing/job-write-fixture.js';

const CANCELLATION = {
  status: 'CANCELLED',
  startsAt: null,
  endsAt: null,
  timeZone: 'Europe/Berlin',
} as const;
const SHOWN = {
  status: 'CONFIRMED',
  startsAt: '2026-10-05T15:00:00.000Z',
  endsAt: '2026-10-05T19:00:00.000Z',
  timeZone: 'America/Denver',
};
const CANCELLED = { status: 'CANCELLED', startsAt: null, endsAt: null, timeZone: 'Europe/Berlin' };

describe('a schedule', () => {
  test('is stored, shown, and published to the company and the platform', async () => {
    const jobId = await fixture.job();
    const { resource } = await fixture.schedule({ jobId });
    expect(JSON.parse(resource)).toMatchObject({ version: 2, status: 'ASSIGNED', schedule: SHOWN });
    expect(await fixture.stored(jobId)).toMatchObject({
      status: 'ASSIGNED',
      schedule_status: 'CONFIRMED',
      schedule_starts_at: TEST_SCHEDULE.startsAt,
      schedule_ends_at: TEST_SCHEDULE.endsAt,
      schedule_time_zone: 'America/Denver',
      history: 0,
    });
    const events = await fixture.eventsOf(jobId);
    expect(events).toMatchObject([{ event: 'install.schedule_changed', resource: { version: 2 } }]);
    expect(EVENT_CATALOGUE['install.schedule_changed'].data.parse(events[0]?.data)).toEqual({
      jobId,
      changedBy: 'installer',
      previousStatus: 'UNSCHEDULED',
      schedule: SHOWN,
    });
    expect(await fixture.messagesOf(JobScheduleChangedSchema, jobId)).toMatchObject([
      {
        jobId,
        version: 2,
        companyId: fixture.installer,
        previousStatus: ScheduleStatus.UNSCHEDULED,
        status: ScheduleStatus.CONFIRMED,
        startsAt: timestampFromDate(TEST_SCHEDULE.startsAt),
        endsAt: timestampFromDate(TEST_SCHEDULE.endsAt),
        timeZone: 'America/Denver',
        changedAt: timestampFromDate(TEST_NOW),
      },
    ]);
  });

  test('that is cancelled has no times anywhere, and keeps the given time zone', async () => {
    const jobId = await fixture.job();
    await fixture.schedule({ jobId });
    const { resource } = await fixture.schedule({
      jobId,
      submitted: { ...CANCELLATION, startsAt: TEST_SCHEDULE.startsAt },
      expectedVersion: 2,
    });
    expect(JSON.parse(resource)).toMatchObject({ version: 3, schedule: CANCELLED });
    expect(await fixture.stored(jobId)).toMatchObject({
      schedule_status: 'CANCELLED',
      schedule_starts_at: null,
      schedule_ends_at: null,
      schedule_time_zone: 'Europe/Berlin',
    });
    const [, event] = await fixture.eventsOf(jobId);
    expect(event?.data).toMatchObject({ previousStatus: 'CONFIRMED', schedule: CANCELLED });
    const [, message] = await fixture.messagesOf(JobScheduleChangedSchema, jobId);
    expect(message).toMatchObject({
      previousStatus: ScheduleStatus.CONFIRMED,
      status: ScheduleStatus.CANCELLED,
      timeZone: 'Europe/Berlin',
    });
    expect(message?.startsAt ?? message?.endsAt).toBeUndefined();
  });

  test('emits an event for every difference, and none if the same one is set again [EVENT-4, JOB-4]', async () => {
    const jobId = await fixture.job();
    const series = [
      { ...TEST_SCHEDULE, status: 'TENTATIVE' },
      { ...TEST_SCHEDULE, status: 'TENTATIVE' },
      TEST_SCHEDULE,
      { ...TEST_SCHEDULE, endsAt: new Date('2026-10-05T19:00:00.001Z') },
      { ...TEST_SCHEDULE, startsAt: new Date('2026-10-05T14:59:59.999Z') },
      { ...TEST_SCHEDULE, startsAt: new Date('2026-10-05T14:59:59.999Z'), timeZone: 'America/Boise' },
      CANCELLATION,
      TEST_SCHEDULE,
      TEST_SCHEDULE,
    ] as const;
    for (const [index, submitted] of series.entries()) {
      const { resource } = await fixture.schedule({ jobId, submitted, expectedVersion: index + 1 });
      expect(JSON.parse(resource)).toMatchObject({ version: index + 2 });
    }
    const events = await fixture.eventsOf(jobId);
    expect(events.map(({ resource }) => resource.version)).toEqual([2, 4, 5, 6, 7, 8, 9]);
    expect(await fixture.messagesOf(JobScheduleChangedSchema, jobId)).toHaveLength(series.length);
  });

  test('may be anywhere in the years that a date-time can name', async () => {
    const jobId = await fixture.job();
    const submitted = {
      ...TEST_SCHEDULE,
      startsAt: new Date('0000-01-01T00:00:00Z'),
      endsAt: new Date('9999-12-31T23:59:59.999Z'),
    };
    await fixture.schedule({ jobId, submitted });
    const { resource } = await fixture.record({ jobId, expectedVersion: 2 });
    expect(JSON.parse(resource)).toMatchObject({
      schedule: { startsAt: '0000-01-01T00:00:00.000Z', endsAt: '9999-12-31T23:59:59.999Z' },
    });
  });
});
