import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SEED } from '@partner/test-kit/seeded-random';
import { checkHistory } from './deliveries/check-history.js';
import { type PlayedDeliveries, playDeliveries, startDeliveryStack } from './deliveries/play-deliveries.js';
import { chooseParts, NEVER_ALLOWED, SENT_AGAIN, SPOILT } from './deliveries/spoilt-history.js';
import type { TestStack } from './support/test-stack.js';

const SPAN_MS = 20_000;
const PATIENCE_MS = 240_000;
/** One fault shows itself in many places. */
const FAULTS_SHOWN = 20;
const ALWAYS_UNSETTLED = [{ from: 0, to: Infinity }];

let stack: TestStack;
let played: PlayedDeliveries;

beforeAll(
  async () => {
    stack = await startDeliveryStack(SEED);
    played = await playDeliveries(stack, {
      seed: SEED,
      spanMs: SPAN_MS,
      patienceMs: PATIENCE_MS,
      withBackfill: false,
      faults: () => Promise.resolve([]),
    });
  },
  SPAN_MS + PATIENCE_MS + 300_000,
);

afterAll(async () => {
  await stack.stop();
});

test('every event of an active subscription is delivered once or dead-lettered after exactly 8 attempts, whatever its receivers answer and its owners do [DELIVERY-3, DELIVERY-8, SECRET-6, WEBHOOK-5]', () => {
  const { history, summary } = played;
  const violations = checkHistory(history);
  const lost = violations.filter((violation) => violation.includes('LOST')).length;
  process.stdout.write(`deliveries: ${summary}; lost: ${lost}\n`);
  expect(violations.slice(0, FAULTS_SHOWN)).toEqual([]);

  const states = history.deliveries.map(({ delivery }) => delivery.state);
  expect(states).toContain('delivered');
  expect(states).toContain('dead_lettered');
  const versions = new Set(history.requests.map(({ headers }) => headers['x-svc-secret-version']));
  // A rotation whose answer is lost is done again: it leaves a version that nothing is signed with.
  expect(versions.size).toBeGreaterThanOrEqual(3);
});

describe('the checker of histories', () => {
  test.each([...NEVER_ALLOWED, ...SPOILT])('finds %s', (_what, spoil, violation) => {
    const { history } = played;
    expect(checkHistory({ ...history, ...spoil(chooseParts(history)) }).join('\n')).toMatch(violation);
  });

  test.each(NEVER_ALLOWED)('finds %s beside faults as well', (_what, spoil, violation) => {
    const history = { ...played.history, unsettled: ALWAYS_UNSETTLED };
    expect(checkHistory({ ...history, ...spoil(chooseParts(history)) }).join('\n')).toMatch(violation);
  });

  test('allows a second POST beside a fault', () => {
    const history = { ...played.history, unsettled: ALWAYS_UNSETTLED };
    expect(checkHistory({ ...history, ...SENT_AGAIN(chooseParts(history)) })).toEqual([]);
  });
});
