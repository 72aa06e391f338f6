import { describe, expect, test } from '@jest/globals';
import { QUEUES } from '@partner/proto-contracts/topology';
import { findProblems, type QueueState, THRESHOLDS } from './inspect-system.js';

const well: readonly QueueState[] = QUEUES.map(({ name, deadLetterQueue }) => ({
  name,
  messages: 0,
  consumers: name === 'platform.partner-events' ? 0 : 2,
  deadLetters: deadLetterQueue === undefined ? null : 0,
}));
const changed = (name: string, change: Partial<QueueState>) =>
  well.map((queue) => (queue.name === name ? { ...queue, ...change } : queue));
const codes = (...given: Parameters<typeof findProblems>) => findProblems(...given).map(({ code }) => code);

describe('problems', () => {
  test("are empty without problems, also for the platform's own queue", () => {
    expect(
      codes(well, { oldestDueMs: 60_000, databaseConnections: 80, databaseConnectionsMax: 100 }, THRESHOLDS),
    ).toEqual([]);
  });

  test('exclude backlogs of endpoints at capacity or failing', () => {
    const theirs = { oldestBusyDueMs: 7_200_000, oldestFailingDueMs: 7_200_000, failingSubscriptions: 1 };
    const counts = { dueDeliveries: 9, busyDueDeliveries: 2, failingDueDeliveries: 4 };
    expect(codes(well, { ...counts, ...theirs }, THRESHOLDS)).toEqual([]);
    const [late] = findProblems(well, { ...counts, ...theirs, oldestDueMs: 61_000 }, THRESHOLDS);
    expect(late?.message).toBe(
      'deliveries to endpoints that work are late, the oldest has been due for 61 s; due: 3',
    );
  });

  test.each([
    [{ oldestDueMs: 61_000 }, 'deliveries_late'],
    [{ expiredLeases: 1 }, 'leases_expired'],
    [{ oldestOutboxMs: 31_000 }, 'outbox_late'],
    [{ oldestWaitingMs: 3_601_000 }, 'platform_messages_wait'],
    [{ databaseConnections: 81, databaseConnectionsMax: 100 }, 'database_connections'],
  ])('of the backlog: %o', (numbers, code) => {
    expect(codes(well, numbers, THRESHOLDS)).toEqual([code]);
  });

  test('of queues: not declared, without a consumer, with dead letters', () => {
    const name = 'job-state.platform-messages';
    expect(codes(changed(name, { messages: null, consumers: null }), {}, THRESHOLDS)).toEqual([
      'queue_missing',
    ]);
    const [missing] = findProblems(changed(name, { messages: null, consumers: null }), {}, THRESHOLDS);
    expect(missing?.advice).toContain('AMQP_TOPOLOGY=check');
    expect(missing?.advice).toContain('charts/job-state/files/rabbitmq-definitions.json');
    expect(codes(changed(name, { consumers: 0 }), {}, THRESHOLDS)).toEqual(['queue_without_consumer']);
    const dead = changed(name, { deadLetters: 3 });
    expect(codes(dead, {}, THRESHOLDS)).toEqual(['dead_letters']);
    expect(codes(dead, {}, { ...THRESHOLDS, maxDead: 3 })).toEqual([]);
    expect(findProblems(dead, {}, THRESHOLDS)[0]?.message).toContain(`3 of ${name}`);
  });
});
