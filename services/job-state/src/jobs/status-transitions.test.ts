import { describe, expect, test } from '@jest/globals';
import { JOB_STATUSES, REPORTABLE_STATUSES } from '@partner/proto-contracts/public-api/installer-job';
import fc from 'fast-check';
import { decideStatusMove, STATUS_MOVES } from './status-transitions.js';

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
  test.each(PAIRS)('from $from to $to is judged by the table', ({ from, to }) => {
    const decision = decideStatusMove({ version: 3, status: from }, { status: to, expectedVersion: 3 });
    expect(decision).toEqual(
      ALLOWED.includes(`${from} > ${to}`)
        ? { kind: 'moved', version: 4, previousStatus: from }
        : { kind: 'transition_not_allowed', currentStatus: from, allowed: STATUS_MOVES[from] },
    );
  });

  test('is stale before it is anything else, and says which version is current', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PAIRS),
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 1, max: 1000 }),
        ({ from, to }, version, expectedVersion) => {
          fc.pre(version !== expectedVersion);
          expect(decideStatusMove({ version, status: from }, { status: to, expectedVersion })).toEqual({
            kind: 'stale_version',
            currentVersion: version,
          });
        },
      ),
    );
  });
});
