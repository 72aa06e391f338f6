import { describe, expect, test } from '@jest/globals';
import { QUEUES } from '@partner/proto-contracts/topology';
import { describeFault, FAULTY_PROCESSES, planFaults, PURGED_QUEUES } from './fault-plan.js';

describe('a plan of faults', () => {
  test('is the same for the same seed and another one for another', () => {
    expect(planFaults(7, 60_000)).toEqual(planFaults(7, 60_000));
    expect(planFaults(8, 60_000)).not.toEqual(planFaults(7, 60_000));
  });

  test.each([1, 3])('of %d minutes has each fault once in each minute', (minutes) => {
    const planned = planFaults(7, minutes * 60_000);
    for (let minute = 0; minute < minutes; minute += 1) {
      const kinds = planned
        .filter(({ atMs }) => Math.floor(atMs / 60_000) === minute)
        .map(({ fault }) => describeFault(fault).replace(/ for \d+ ms/, ''));
      expect(kinds.sort()).toEqual(
        [
          ...FAULTY_PROCESSES.flatMap((name) => [`kill -9 of ${name}`, `${name} stands still`]),
          ...PURGED_QUEUES.map((queue) => `purge of ${queue}`),
          'restart of rabbitmq',
          'close all broker connections',
          'flush redis',
          'terminate all database backends',
        ].sort(),
      );
    }
  });

  test('purges every queue but the two that hold what was confirmed to or by the platform', () => {
    const kept = QUEUES.map(({ name }) => name).filter((name) => !PURGED_QUEUES.some((one) => one === name));
    expect(kept).toEqual(['job-state.platform-messages', 'platform.partner-events']);
  });
});
