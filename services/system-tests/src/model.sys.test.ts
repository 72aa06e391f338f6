import { readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fc } from '@partner/test-kit/fast-check';
import { SEED } from '@partner/test-kit/seeded-random';
import { checkResponses } from './model/check-responses.js';
import { checkRun } from './model/check-run.js';
import { messagesAreSettled, readFinalState } from './model/final-state.js';
import { createMarkers } from './model/markers.js';
import { OUTCOMES_TO_MEET, outcomesIn } from './model/outcomes.js';
import { type Plan, planArbitrary } from './model/plan.js';
import { connectPlatform, type Platform } from './model/platform.js';
import { runPlan } from './model/run-plan.js';
import { createWorld } from './model/world.js';
import { STEERED_PLAN } from './model/steered-plan.js';
import { startTestStack, type TestStack } from './support/test-stack.js';

/**
 * The plans follow from the seed, though no plan ever runs twice in the same order; `RUNS=…` makes more of them. With the `path`
 * of a counterexample `RUN_PATH=…` begins with that one.
 */
const RUNS = Number(process.env['RUNS'] ?? 10);
const RUN_PATH = process.env['RUN_PATH'];

/** How long one run may take, and how long a counterexample is made smaller. */
const RUN_MS = 120_000;
const SHRINK_MS = 180_000;

/** One fault shows itself in many places. */
const FAULTS_SHOWN = 20;

/** Processes whose logs must not hold what is secret. */
const LOGGING = [
  'job-state',
  'job-state-2',
  'inbound-gateway',
  'installer-gateway',
  'console',
  'webhook-dispatcher',
  'proxy',
];

/** Events whose first webhook was refused. */
const refusedOnce = new Set<string>();
const met = new Set<string>();

let stack: TestStack;
let platform: Platform;

beforeAll(async () => {
  stack = await startTestStack({
    replicas: { 'job-state': 2 },
    settings: { 'job-state': { WEBHOOK_RETRY_BASE_MS: '200', DELIVERY_LEASE_SECONDS: '20' } },
    // Now and then a webhook is refused, so that it has to come again.
    answer: ({ envelope }) => {
      if (refusedOnce.has(envelope.id) || !/[05]$/.test(envelope.id)) return 204;
      refusedOnce.add(envelope.id);
      return 503;
    },
  });
  platform = await connectPlatform(stack.stack.description.amqpUrl);
});

afterAll(async () => {
  await platform.close();
  await stack.stop();
});

async function faultsOf(plan: Plan): Promise<readonly string[]> {
  const markers = createMarkers();
  const heardBefore = platform.heard.length;
  const receivedBefore = stack.receiver.received.length;
  const logs = LOGGING.map((name) => {
    const { logFile } = stack.stack.process(name);
    return { name, logFile, start: statSync(logFile).size };
  });
  const world = await createWorld({ stack, platform, markers }, plan);
  const { history, killed } = await runPlan(
    { stack, platform, markers, messagesAreSettled: (ids) => messagesAreSettled(stack.database, ids) },
    world,
    plan,
  );
  for (const outcome of outcomesIn(history, killed)) met.add(outcome);
  const final = await readFinalState({ stack, platform }, world);
  const faults = checkRun({
    world,
    final,
    markers,
    hasKilled: killed.length > 0,
    history: { ...history, heard: platform.heard.slice(heardBefore) },
    webhooks: stack.receiver.received.slice(receivedBefore),
    logs: new Map(
      logs.map(({ name, logFile, start }) => [name, readFileSync(logFile).subarray(start).toString('utf8')]),
    ),
  });
  return [...faults, ...checkResponses(history)];
}

test(
  'whatever the clients of several companies do at once, each write takes effect once, and no company sees data of another [CONTRACTOR-4]',
  async () => {
    process.stdout.write(`model: SEED=${SEED} RUNS=${RUNS}\n`);
    await fc.assert(
      fc.asyncProperty(planArbitrary, async (plan) => {
        const faults = await faultsOf(plan);
        expect(faults.slice(0, FAULTS_SHOWN)).toEqual([]);
      }),
      {
        numRuns: RUNS,
        examples: [[STEERED_PLAN]],
        ...(RUN_PATH === undefined ? {} : { path: RUN_PATH }),
        plugins: [fc.interruptAfterTimeLimit(RUNS * RUN_MS + SHRINK_MS, { failOnInterrupt: true })],
      },
    );
    if (RUN_PATH === undefined) expect(OUTCOMES_TO_MEET.filter((outcome) => !met.has(outcome))).toEqual([]);
  },
  RUNS * RUN_MS + SHRINK_MS + RUN_MS,
);
