import { describe, expect, test } from '@jest/globals';
import { JOB_STATUSES, REPORTABLE_STATUSES } from '@partner/proto-contracts/resources/job/job';
import { JOB_STATUS_MOVES } from '@partner/proto-contracts/resources/job/job-status-moves';
import { decideStatusMove } from './status-transitions.js';

const ALLOWED = [
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
const PAIRS = JOB_STATUSES.flatMap((from) => REPORTABLE_STATUSES.map((to) => ({ from, to })));

describe('a status move', () => {
  test.each(PAIRS)('from $from to $to follows the table [ERROR-8, STATUS-2, STATUS-4]', ({ from, to }) => {
    expect(decideStatusMove(from, to)).toEqual(
      ALLOWED.includes(`${from} > ${to}`)
        ? { kind: 'moved' }
        : { kind: 'transition_not_allowed', allowed: JOB_STATUS_MOVES[from] },
    );
  });
});
