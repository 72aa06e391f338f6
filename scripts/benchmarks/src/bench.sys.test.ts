import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { baseEnvironment } from '@partner/test-kit/backing-services/local-process';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { type CommandResult, runCommand } from '@partner/local-stack/run-command';
import { PROJECT_ROOT } from '@partner/local-stack/stack/project-root';
import { renderApi, runApiBench } from './api-bench.js';
import { renderBacklog, runBacklogBench } from './backlog-bench.js';
import { type Bench, startBenchStack } from './bench-stack.js';
import { renderFairness, runFairnessBench } from './fairness-bench.js';
import { renderFeed, runFeedBench } from './feed-bench.js';
import { renderFlood, runFloodBench } from './flood-bench.js';
import { renderNeighbour, runNeighbourBench } from './neighbour-bench.js';

const deliveryRun = z.object({
  recordedPerSecond: z.number().positive(),
  connections: z.int().nonnegative(),
  processors: z.object({ 'job-state': z.number(), 'webhook-dispatcher': z.number(), postgres: z.number() }),
  postgres: z.object({ transactions: z.number().positive(), inserted: z.number().positive() }),
});
const latencyResult = z.object({
  fromPublish: z.object({ samples: z.literal(20), p50: z.number().positive(), p99: z.number().positive() }),
  run: deliveryRun.extend({ events: z.literal(20) }),
});
const requestCost = z.object({
  samples: z.int().positive(),
  perSecond: z.number().positive(),
  p50: z.number().positive(),
  processorMs: z.number().positive(),
});

function bench(...args: string[]): Promise<CommandResult> {
  const file = path.join(PROJECT_ROOT, 'scripts/benchmarks/dist/main.js');
  return runCommand(process.execPath, [file, ...args], { cwd: PROJECT_ROOT, env: baseEnvironment() });
}

function stacksOfBenchmarks(): string[] {
  return readdirSync(path.join(PROJECT_ROOT, '.stack')).filter((entry) => entry.startsWith('bench-'));
}

describe('scripts/bench', () => {
  test('measures on a separate stack, prints the result, writes it to a file, and leaves nothing behind', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'partner-bench-'));
    const json = path.join(directory, 'latency.json');
    const before = stacksOfBenchmarks();
    const ended = await bench('latency', '--rate', '20', '--seconds', '1', '--json', json);

    expect(ended.stderr).toBe('');
    expect(ended.stdout).toContain('20 events a second to 100 endpoints, 20 events\n');
    latencyResult.parse(JSON.parse(readFileSync(json, 'utf8')));
    expect(ended.exitCode).toBe(0);
    expect(stacksOfBenchmarks()).toEqual(before);
    rmSync(directory, { recursive: true });
  });

  test('names an option that it cannot use', async () => {
    const ended = await bench('feed', '--changes', '999');
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('It must be a whole number from 1000 on.');
  });
});

describe('a benchmark', () => {
  let shared: Bench;

  beforeAll(async () => {
    shared = await startBenchStack({
      report: () => undefined,
      signal: new AbortController().signal,
    });
  });

  afterAll(async () => {
    await shared.discard();
  });

  // A benchmark of deliveries stops it at its end.
  beforeEach(async () => {
    const jobState = shared.stack.process('job-state');
    await jobState.start();
    await jobState.ready();
  });

  test('of the feed compares every way to read, and judges the ratios', async () => {
    const result = await runFeedBench(shared, { changes: 2_000, samples: 5 });
    expect(result.changes).toEqual({ short: 1_000, long: 2_000 });
    expect(result.comparisons.map(({ read, atOnce, long }) => `${read}: ${atOnce}, ${long.samples}`)).toEqual(
      [
        'the newest page: 1, 5',
        'the newest page: 8, 5',
        'after a cursor in the middle: 1, 5',
        'after a cursor in the middle: 8, 5',
        'at the end, nothing new: 1, 5',
        'at the end, nothing new: 8, 5',
      ],
    );
    expect(result.holds).toBe(result.comparisons.every(({ ratio }) => ratio <= 1.3));
    expect(renderFeed(result).join('\n')).toContain('after a cursor in the middle');
  });

  test('of the API compares the given operation with the baseline', async () => {
    const sizes = { operation: ['status event'], connections: [2], rounds: 1, seconds: 1 };
    const result = await runApiBench(shared, sizes);
    expect(result.comparisons).toMatchObject([{ operation: 'status event', connections: 2 }]);
    for (const { ours, baseline, ratio } of result.comparisons) {
      for (const cost of [ours, baseline]) requestCost.parse(cost);
      expect(ours.postgres.statements).toBeGreaterThan(0);
      expect(ours.postgres.writes).toBeGreaterThan(0);
      expect(ratio).toBeCloseTo(ours.perSecond / baseline.perSecond, 5);
    }
    expect(renderApi(result).join('\n')).toContain('status event');
  });

  test('of a backlog measures the deliveries beside the bare loop', async () => {
    const result = await runBacklogBench(shared, { events: 200 });
    const { run, ratio } = result;
    deliveryRun.parse(run);
    const [first = 0, second = 0] = result.barePerSecond;
    expect(Math.min(first, second)).toBeGreaterThan(0);
    expect(run.sustainedPerSecond).toBeGreaterThan(0);
    expect(ratio).toBeCloseTo((2 * run.sustainedPerSecond) / (first + second), 5);
    expect(renderBacklog(result).join('\n')).toContain('200 deliveries to 100 endpoints');
  });

  test('of a flood measures the published events', async () => {
    const result = await runFloodBench(shared, { events: 100 });
    deliveryRun.parse(result.run);
    expect(result.publishedPerSecond).toBeGreaterThan(0);
    expect(renderFlood(result).join('\n')).toContain('100 events to 100 endpoints');
  });

  test('of fairness receives every event of the healthy endpoints, and judges the ratio', async () => {
    const result = await runFairnessBench(shared, { burst: 100, seconds: 1 });
    const { before, beside, after, ratio, burstReceived } = result;
    expect([before, beside, after]).toMatchObject([{ samples: 20 }, { samples: 20 }, { samples: 20 }]);
    expect(burstReceived).toBeGreaterThan(0);
    expect(result.holds).toBe(ratio <= 1.5);
    expect(renderFairness(result).join('\n')).toContain('beside the bad ones');
  });

  test('of a noisy neighbour compares each surface, and holds as its ratios say', async () => {
    const result = await runNeighbourBench(shared, { rounds: 1, seconds: 1 });
    expect(
      result.comparisons.map(({ surface, alone, beside }) => [surface, alone.samples, beside.samples]),
    ).toEqual([
      ['installer', 20, 20],
      ['inbound', 8, 8],
      ['console', 20, 20],
    ]);
    expect(result.holds).toBe(result.comparisons.every(({ ratio }) => ratio <= 2));
    expect(renderNeighbour(result).join('\n')).toContain('ratio of p99');
  });
});
