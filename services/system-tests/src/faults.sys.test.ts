import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@partner/test-kit/eventually';
import { SEED } from '@partner/test-kit/seeded-random';
import { checkFeeds } from './deliveries/check-feeds.js';
import { checkHistory } from './deliveries/check-history.js';
import type { AcknowledgedWrite } from './deliveries/delivery-history.js';
import { type DoneFault, playFaults, timelineOf } from './deliveries/fault-mix.js';
import { planFaults } from './deliveries/fault-plan.js';
import { playDeliveries, startDeliveryStack } from './deliveries/play-deliveries.js';
import type { TestStack } from './support/test-stack.js';

const MINUTES = Number(process.env['FAULT_MINUTES'] ?? 1);
const SPAN_MS = MINUTES * 60_000;
/** For the leases that were lost, and the retries of what always fails. */
const PATIENCE_MS = 240_000;
const PLATFORM_PATIENCE_MS = 240_000;
/** One fault shows itself in many places. */
const FAULTS_SHOWN = 20;
const REPEAT = `scripts/test --faults ${MINUTES} --seed ${SEED}`;

let stack: TestStack;

beforeAll(async () => {
  stack = await startDeliveryStack(SEED, { parts: { kind: 'private' } });
});

afterAll(async () => {
  await stack.stop();
});

test(
  'whatever dies, hangs or loses its messages, in whatever order, every acknowledged write is in the feed once, no event is lost, and nothing has to be done by hand [DELIVERY-1, DELIVERY-3, DELIVERY-9, ERROR-10, HTTP-18, WEBHOOK-5]',
  async () => {
    process.stdout.write(`faults: ${REPEAT}\n`);
    const done: DoneFault[] = [];
    try {
      const { history, summary } = await playDeliveries(stack, {
        seed: SEED,
        spanMs: SPAN_MS,
        patienceMs: PATIENCE_MS,
        withBackfill: true,
        faults: async () => {
          await playFaults(stack.stack, planFaults(SEED, SPAN_MS), (fault) => done.push(fault));
          return done;
        },
      });
      const violations = checkHistory(history);
      const lost = violations.filter((violation) => violation.includes('LOST')).length;
      process.stdout.write(`faults: ${summary}; lost: ${lost}\n`);
      expect(violations.slice(0, FAULTS_SHOWN)).toEqual([]);
      expect(history.deliveries.some(({ delivery }) => delivery.state === 'dead_lettered')).toBe(true);
      expect(history.deliveries.some(({ delivery }) => delivery.bulkReplayId !== null)).toBe(true);
      expect(await checkFeeds(stack, history.writes)).toEqual([]);
      await waitUntilPlatformHears(history.writes);
    } catch (error) {
      process.stdout.write(`faults: again with ${REPEAT}\n${timelineOf(done)}\n`);
      throw error;
    }
  },
  SPAN_MS + 2 * PATIENCE_MS + 600_000,
);

/** The platform hears of each status that was acknowledged, from a queue that nobody purged. */
async function waitUntilPlatformHears(writes: readonly AcknowledgedWrite[]): Promise<void> {
  const told = writes.flatMap(({ tells }) => tells.filter(({ name }) => name === 'install.status_changed'));
  const missing = () => {
    const received = new Set(stack.receivedStatusChanges.map(({ jobId, version }) => `${jobId} ${version}`));
    return told.filter((one) => !received.has(`${one.resourceId} ${one.resourceVersion}`));
  };
  await eventually(
    () => `the platform receives ${JSON.stringify(missing())}`,
    () => missing().length === 0,
    { timeoutMs: PLATFORM_PATIENCE_MS, everyMs: 100 },
  );
}
