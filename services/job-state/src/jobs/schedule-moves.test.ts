import { describe, expect, test } from '@jest/globals';
import {
  JOB_STATUSES,
  SCHEDULE_STATUSES,
  SUBMITTABLE_SCHEDULE_STATUSES,
} from '@partner/proto-contracts/public-api/installer-job';
import { fc } from '@partner/runtime/testing/fast-check';
import { decideScheduleMove } from './schedule-moves.js';

const startsAt = new Date('2026-10-05T15:00:00.000Z');
const endsAt = new Date('2026-10-05T19:00:00.000Z');
const timeZone = 'America/Denver';
const ALLOWED = {
  UNSCHEDULED: ['TENTATIVE', 'CONFIRMED'],
  TENTATIVE: ['TENTATIVE', 'CONFIRMED', 'CANCELLED'],
  CONFIRMED: ['TENTATIVE', 'CONFIRMED', 'CANCELLED'],
  CANCELLED: ['TENTATIVE', 'CONFIRMED'],
} as const satisfies Record<(typeof SCHEDULE_STATUSES)[number], readonly string[]>;
const PAIRS = SCHEDULE_STATUSES.flatMap((from) => SUBMITTABLE_SCHEDULE_STATUSES.map((to) => ({ from, to })));
const CLOSED = ['COMPLETE', 'CANCELLED'];
const job = (
  from: (typeof SCHEDULE_STATUSES)[number],
  status: (typeof JOB_STATUSES)[number] = 'ASSIGNED',
) => ({
  status,
  schedule: { status: from },
});

describe('a schedule move', () => {
  test.each(PAIRS)('from $from to $to is judged by the table', ({ from, to }) => {
    const allowed: readonly string[] = ALLOWED[from];
    const times = to === 'CANCELLED' ? { startsAt: null, endsAt: null } : { startsAt, endsAt };
    expect(decideScheduleMove(job(from), { status: to, startsAt, endsAt, timeZone })).toEqual(
      allowed.includes(to)
        ? { kind: 'scheduled', schedule: { status: to, ...times, timeZone } }
        : { kind: 'transition_not_allowed', allowed },
    );
  });

  test.each(JOB_STATUSES.flatMap((status) => PAIRS.map((pair) => ({ status, ...pair }))))(
    'from $from to $to on a job that is $status depends on whether the job is closed',
    ({ status, from, to }) => {
      const submitted = { status: to, startsAt, endsAt, timeZone };
      expect(decideScheduleMove(job(from, status), submitted)).toEqual(
        CLOSED.includes(status) ? { kind: 'job_closed' } : decideScheduleMove(job(from), submitted),
      );
    },
  );

  test.each([
    ['TENTATIVE', null, null, 'startsAt', 'is required when status is TENTATIVE'],
    ['TENTATIVE', null, endsAt, 'startsAt', 'is required when status is TENTATIVE'],
    ['CONFIRMED', startsAt, null, 'endsAt', 'is required when status is CONFIRMED'],
    ['CONFIRMED', startsAt, startsAt, 'endsAt', 'must be after startsAt'],
    ['TENTATIVE', endsAt, startsAt, 'endsAt', 'must be after startsAt'],
  ] as const)('to %s from %p to %p is not valid in %s', (status, start, end, field, problem) => {
    const decision = decideScheduleMove(job('UNSCHEDULED'), {
      status,
      startsAt: start,
      endsAt: end,
      timeZone,
    });
    expect(decision).toEqual({ kind: 'schedule_invalid', field, problem });
  });

  test.each([
    [null, null],
    [startsAt, null],
    [endsAt, startsAt],
  ])('to CANCELLED clears the times, whatever is given: %p to %p', (start, end) => {
    const submitted = {
      status: 'CANCELLED',
      startsAt: start,
      endsAt: end,
      timeZone: 'Europe/Berlin',
    } as const;
    expect(decideScheduleMove(job('CONFIRMED'), submitted)).toEqual({
      kind: 'scheduled',
      schedule: { status: 'CANCELLED', startsAt: null, endsAt: null, timeZone: 'Europe/Berlin' },
    });
  });

  test('is judged by the job before the move, and by the move before the times', () => {
    const wrongTimes = { status: 'TENTATIVE', startsAt: null, endsAt: null, timeZone } as const;
    expect(decideScheduleMove(job('TENTATIVE', 'COMPLETE'), wrongTimes)).toMatchObject({
      kind: 'job_closed',
    });
    const cancel = { ...wrongTimes, status: 'CANCELLED' } as const;
    expect(decideScheduleMove(job('UNSCHEDULED'), cancel)).toMatchObject({ kind: 'transition_not_allowed' });
  });

  test('never leaves a firm schedule without a start that stands before its end, nor a cancelled one with times', () => {
    const time = fc.option(fc.date({ noInvalidDate: true }));
    fc.assert(
      fc.property(fc.constantFrom(...PAIRS), time, time, ({ from, to }, start, end) => {
        const decision = decideScheduleMove(job(from), {
          status: to,
          startsAt: start,
          endsAt: end,
          timeZone,
        });
        if (decision.kind !== 'scheduled') return;
        const { schedule } = decision;
        if (to === 'CANCELLED') expect(schedule).toMatchObject({ startsAt: null, endsAt: null });
        else expect(schedule.startsAt?.getTime()).toBeLessThan(schedule.endsAt?.getTime() ?? Number.NaN);
      }),
    );
  });
});
