import { describe, expect, test } from '@jest/globals';
import {
  JOB_STATUSES,
  REPORTABLE_STATUSES,
  SCHEDULE_STATUSES,
} from '@partner/proto-contracts/resources/job/job';
import { SUBMITTABLE_SCHEDULE_STATUSES } from '@partner/proto-contracts/resources/job/job-writes';
import { decideScheduleMove, statusRefusal } from './moves.js';

const STATUS_MOVES = [
  'ASSIGNED > ACKNOWLEDGED',
  'ASSIGNED > BLOCKED',
  'ACKNOWLEDGED > EN_ROUTE',
  'ACKNOWLEDGED > ON_SITE',
  'ACKNOWLEDGED > BLOCKED',
  'EN_ROUTE > ON_SITE',
  'EN_ROUTE > BLOCKED',
  'ON_SITE > IN_PROGRESS',
  'ON_SITE > EN_ROUTE',
  'ON_SITE > BLOCKED',
  'IN_PROGRESS > COMPLETE',
  'IN_PROGRESS > EN_ROUTE',
  'IN_PROGRESS > BLOCKED',
  'BLOCKED > ACKNOWLEDGED',
  'BLOCKED > EN_ROUTE',
  'BLOCKED > ON_SITE',
  'BLOCKED > IN_PROGRESS',
];

test.each(JOB_STATUSES.flatMap((from) => REPORTABLE_STATUSES.map((to) => ({ from, to }))))(
  'a status move from $from to $to follows the table [ERROR-8, STATUS-2, STATUS-4]',
  ({ from, to }) => {
    const allowed = STATUS_MOVES.filter((move) => move.startsWith(`${from} `)).map(
      (move) => move.split(' ')[2],
    );
    const refusal = { reason: 'transition_not_allowed', attributes: { currentStatus: from, allowed } };
    if (allowed.includes(to)) expect(statusRefusal(from, to)).toBeUndefined();
    else expect(statusRefusal(from, to)).toMatchObject(refusal);
  },
);

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
describe('a schedule move', () => {
  test.each(PAIRS)('from $from to $to is judged by the table [SCHED-2, SCHED-4]', ({ from, to }) => {
    const allowed: readonly string[] = ALLOWED[from];
    // The times of a cancelled one are cleared, whatever they are.
    const given = to === 'CANCELLED' ? { startsAt: endsAt, endsAt: startsAt } : { startsAt, endsAt };
    const times = to === 'CANCELLED' ? { startsAt: null, endsAt: null } : given;
    expect(decideScheduleMove(from, { status: to, ...given, timeZone })).toMatchObject(
      allowed.includes(to)
        ? { kind: 'scheduled', schedule: { status: to, ...times, timeZone } }
        : { kind: 'refused', refusal: { reason: 'transition_not_allowed', attributes: { allowed } } },
    );
  });

  test.each([
    ['TENTATIVE', null, null, 'startsAt', 'is required when status is TENTATIVE'],
    ['TENTATIVE', null, endsAt, 'startsAt', 'is required when status is TENTATIVE'],
    ['CONFIRMED', startsAt, null, 'endsAt', 'is required when status is CONFIRMED'],
    ['CONFIRMED', startsAt, startsAt, 'endsAt', 'must be after startsAt'],
    ['TENTATIVE', endsAt, startsAt, 'endsAt', 'must be after startsAt'],
  ] as const)('to %s from %p to %p is not valid in %s [SCHED-4]', (status, start, end, field, problem) => {
    const decision = decideScheduleMove('UNSCHEDULED', { status, startsAt: start, endsAt: end, timeZone });
    expect(decision).toMatchObject({
      refusal: { reason: 'schedule_invalid', message: `${field}: ${problem}` },
    });
  });

  test('checks the status change before the times', () => {
    const cancel = { status: 'CANCELLED', startsAt: null, endsAt: null, timeZone } as const;
    expect(decideScheduleMove('UNSCHEDULED', cancel)).toMatchObject({
      refusal: {
        reason: 'transition_not_allowed',
        message:
          'a schedule that is UNSCHEDULED cannot move to CANCELLED; it can move to: TENTATIVE, CONFIRMED',
      },
    });
  });
});
