import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fc } from '@partner/test-kit/fast-check';
import { SEED } from '@partner/test-kit/seeded-random';
import { errorBody } from '@partner/proto-contracts/api/error-body';
import { planArbitrary } from './model/plan.js';
import type { Outcome } from './model/requests.js';
import { runPlan } from './model/run-plan.js';
import { startTestStack, type TestStack } from './support/test-stack.js';

/** `RUNS` makes more plans; `RUN_PATH` repeats the plan of a counterexample and makes it smaller. */
const RUNS = Number(process.env['RUNS'] ?? 10);
const RUN_PATH = process.env['RUN_PATH'];
const RUN_MS = 120_000;
const SHRINK_MS = 180_000;

/** Outcomes that the plans of every seed meet, so that the rules are applied to each of them. */
const CERTAIN = [
  'assignment',
  ...['status 201', 'status 201 again', 'status 409 stale_version', 'status 422 transition_not_allowed'],
  ...['schedule 200', 'schedule 422 transition_not_allowed', 'assignments 200'],
  ...['note 200', 'note 200 again', 'job 200', 'newest 200', 'snapshot 200', 'contractor jobs 200'],
];

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack({ replicas: { 'job-state': 2 } });
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

test(
  'concurrent requests of several companies have the outcomes of some order of them, also when processes are killed [CONTRACTOR-4, ERROR-11, FEED-1, FEED-4, IDEM-6, JOB-4, STATUS-2, STATUS-6]',
  async () => {
    process.stdout.write(`model: SEED=${SEED} RUNS=${RUNS}\n`);
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(planArbitrary, async (plan) => {
        expect(await runPlan(stack, plan, (outcome) => outcomes.add(describe(outcome)))).toEqual([]);
      }),
      {
        numRuns: RUNS,
        ...(RUN_PATH === undefined ? { endOnFailure: true } : { path: RUN_PATH }),
        plugins: [fc.interruptAfterTimeLimit(RUNS * RUN_MS + SHRINK_MS, { failOnInterrupt: true })],
      },
    );
    expect([...outcomes]).toEqual(expect.arrayContaining(CERTAIN));
  },
  RUNS * RUN_MS + SHRINK_MS + RUN_MS,
);
