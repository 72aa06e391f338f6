import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fc } from '@partner/test-kit/fast-check';
import { SEED } from '@partner/test-kit/seeded-random';
import { errorBody } from '@partner/proto-contracts/api/error-body';
import { planArbitrary } from './model/plan.js';
import type { Outcome } from './model/requests.js';
import { runPlan } from './model/run-plan.js';
import { STEERED_OUTCOMES, STEERED_PLAN } from './model/steered-plan.js';
import { startTestStack, type TestStack } from './support/test-stack.js';

/** `RUNS` makes more plans; `RUN_PATH` repeats the plan of a counterexample and makes it smaller. */
const RUNS = Number(process.env['RUNS'] ?? 10);
const RUN_PATH = process.env['RUN_PATH'];
const RUN_MS = 120_000;
const SHRINK_MS = 180_000;

/** Events whose first webhook was refused. */
const refusedOnce = new Set<string>();

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack({
    replicas: { 'job-state': 2 },
    settings: { 'job-state': { WEBHOOK_RETRY_BASE_MS: '200', DELIVERY_LEASE_SECONDS: '20' } },
    // Some webhooks are refused once, so they are sent again.
    answer: ({ envelope }) => {
      if (refusedOnce.has(envelope.id) || !/[05]$/.test(envelope.id)) return 204;
      refusedOnce.add(envelope.id);
      return 503;
    },
  });
});

afterAll(() => stack.stop());

/** An outcome in a few words. */
function describe(outcome: Outcome): string {
  if (!('answer' in outcome)) return 'assignment';
  const { request, answer } = outcome;
  const what = request.kind === 'read' ? request.what.kind : request.write.kind;
  const code = answer.status < 400 ? undefined : errorBody.parse(answer.json).code;
  const isReplay = answer.headers.get('idempotency-replayed') === 'true';
  return [what, answer.status, code, isReplay ? 'again' : undefined]
    .filter((word) => word !== undefined)
    .join(' ');
}

test('each request has the outcome and the effects that the rules give it, one request after another [APPT-5, CONTRACTOR-3, CONTRACTOR-4, ERROR-11, FEED-1, FEED-4, IDEM-6, JOB-4, LEAD-3, LEAD-4, LEAD-5, SCHED-3, SERVICE-2, SERVICE-3, STATUS-2, STATUS-3, STATUS-6]', async () => {
  const outcomes: string[] = [];
  expect(await runPlan(stack, STEERED_PLAN, (outcome) => outcomes.push(describe(outcome)))).toEqual([]);
  expect(outcomes).toEqual(STEERED_OUTCOMES);
});

test(
  'concurrent requests of several companies have the outcomes and effects of some order of them, also when processes are killed [CONTRACTOR-4]',
  async () => {
    process.stdout.write(`model: SEED=${SEED} RUNS=${RUNS}\n`);
    await fc.assert(
      fc.asyncProperty(planArbitrary, async (plan) => {
        expect(await runPlan(stack, plan, () => undefined)).toEqual([]);
      }),
      {
        numRuns: RUNS,
        ...(RUN_PATH === undefined ? { endOnFailure: true } : { path: RUN_PATH }),
        plugins: [fc.interruptAfterTimeLimit(RUNS * RUN_MS + SHRINK_MS, { failOnInterrupt: true })],
      },
    );
  },
  RUNS * RUN_MS + SHRINK_MS + RUN_MS,
);
