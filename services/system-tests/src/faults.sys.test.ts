import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { QUEUES } from '@partner/proto-contracts/topology';
import { eventually } from '@partner/test-kit/eventually';
import { SEED } from '@partner/test-kit/seeded-random';
import { checkFeeds } from './deliveries/check-feeds.js';
import { checkHistory } from './deliveries/check-history.js';
import type { AcknowledgedWrite } from './deliveries/delivery-history.js';
import { type DoneFault, playFaults, timelineOf } from './deliveries/fault-mix.js';
import { planFaults, PURGED_QUEUES } from './deliveries/fault-plan.js';
import { playDeliveries, startDeliveryStack } from './deliveries/play-deliveries.js';
import type { TestStack } from './support/test-stack.js';

const MINUTES = Number(process.env['FAULT_MINUTES'] ?? 1);
const SPAN_MS = MINUTES * 60_000;
/** Before the first fault, when every event is delivered exactly once; longer than 8 attempts take. */
const CALM_MS = 15_000;
/** For the leases that were lost, and the retries of what always fails. */
const PATIENCE_MS = 240_000;
/** One violation shows itself in many places. */
const VIOLATIONS_SHOWN = 20;
const REPEAT = `scripts/test --faults ${MINUTES} --seed ${SEED}`;

let stack: TestStack;

beforeAll(async () => {
  stack = await startDeliveryStack(SEED);
});

afterAll(async () => {
  await stack.stop();
});

test(
  'delivers every event once or dead-letters it after 8 attempts; whatever then dies, hangs or loses its messages, no acknowledged write and no event is lost, without an operator [DELIVERY-1, DELIVERY-3, DELIVERY-8, DELIVERY-9, ERROR-10, HTTP-18, SECRET-6, WEBHOOK-5]',
  async () => {
    process.stdout.write(`faults: ${REPEAT}\n`);
    const done: DoneFault[] = [];
    try {
      const { history, summary } = await playDeliveries(stack, {
        seed: SEED,
        spanMs: CALM_MS + SPAN_MS,
        patienceMs: PATIENCE_MS,
        moves: true,
        faults: async () => {
          await delay(CALM_MS);
          await playFaults(stack.stack, planFaults(SEED, SPAN_MS), (fault) => done.push(fault));
          return done;
        },
      });
      const violations = checkHistory(history);
      const lost = violations.filter((violation) => violation.includes('LOST')).length;
      process.stdout.write(`faults: ${summary}; lost: ${lost}\n`);
      expect(violations.slice(0, VIOLATIONS_SHOWN)).toEqual([]);
      expect(history.deliveries.some(({ delivery }) => delivery.state === 'dead_lettered')).toBe(true);
      expect(history.deliveries.some(({ delivery }) => delivery.bulkReplayId !== null)).toBe(true);
      const versions = new Set(history.requests.map(({ headers }) => headers['x-svc-secret-version']));
      expect(versions.size).toBeGreaterThanOrEqual(3);
      expect(await checkFeeds(stack, history.writes)).toEqual([]);
      await waitUntilPlatformHears(history.writes);
    } catch (error) {
      process.stdout.write(`faults: again with ${REPEAT}\n${timelineOf(done)}\n`);
      throw error;
    }
  },
  CALM_MS + SPAN_MS + 2 * PATIENCE_MS + 600_000,
);

test('the faults purge every queue but the two that hold what was confirmed to or by the platform', () => {
  const kept = QUEUES.map(({ name }) => name).filter((name) => !PURGED_QUEUES.some((one) => one === name));
  expect(kept).toEqual(['job-state.platform-messages', 'platform.partner-events']);
});

/** The platform receives each acknowledged status, from a queue that no fault purges. */
async function waitUntilPlatformHears(writes: readonly AcknowledgedWrite[]): Promise<void> {
  const told = writes.flatMap(({ tells }) => tells.filter(({ name }) => name === 'install.status_changed'));
  const missing = () => {
    const received = new Set(stack.receivedStatusChanges.map(({ jobId, version }) => `${jobId} ${version}`));
    return told.filter((one) => !received.has(`${one.resourceId} ${one.resourceVersion}`));
  };
  await eventually(
    () => `the platform receives ${JSON.stringify(missing())}`,
    () => missing().length === 0,
    { timeoutMs: PATIENCE_MS, everyMs: 100 },
  );
}
