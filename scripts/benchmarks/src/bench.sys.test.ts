import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { baseEnvironment } from '@partner/test-kit/backing-services/local-process';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { type CommandResult, runCommand } from '@partner/local-stack/run-command';
import { PROJECT_ROOT } from '@partner/local-stack/stack/project-root';

const feedResult = z.object({
  changes: z.object({ short: z.literal(1_000), long: z.literal(2_000) }),
  comparisons: z.array(
    z.object({
      read: z.string(),
      atOnce: z.number(),
      ratio: z.number(),
      long: z.object({ samples: z.int() }),
    }),
  ),
  holds: z.boolean(),
});

const deliveryRun = z.object({
  recordedPerSecond: z.number().positive(),
  connections: z.int().nonnegative(),
  processors: z.object({ 'job-state': z.number(), 'webhook-dispatcher': z.number(), postgres: z.number() }),
  postgres: z.object({ transactions: z.number().positive(), inserted: z.number().positive() }),
});
const backlogResult = z.object({
  run: deliveryRun.extend({ events: z.literal(1_000), sustainedPerSecond: z.number().positive() }),
  barePerSecond: z.array(z.number().positive()).length(2),
  ratio: z.number(),
  holds: z.boolean(),
});
const floodResult = z.object({
  publishedPerSecond: z.number().positive(),
  run: deliveryRun.extend({ events: z.literal(100) }),
});
const latency = z.object({ p50: z.number().positive(), p99: z.number().positive() });
const latencyResult = z.object({
  fromPublish: latency,
  fromConfirm: latency,
  run: deliveryRun.extend({ events: z.literal(20) }),
});

const fairnessPhase = z.object({ events: z.literal(100), median: z.number(), p99: z.number() });
const fairnessResult = z.object({
  before: fairnessPhase,
  beside: fairnessPhase,
  after: fairnessPhase,
  ratio: z.number(),
  burstReceived: z.int().positive(),
  holds: z.boolean(),
});

const backoffResult = z.object({
  deliveries: z.literal(4),
  endpoints: z.array(
    z.object({
      name: z.string(),
      retries: z.array(
        z.object({ backoffMs: z.number(), min: z.number(), longestIdleMs: z.number().nonnegative() }),
      ),
    }),
  ),
  holds: z.boolean(),
});

const requestCost = z.object({
  requests: z.int().positive(),
  perSecond: z.number().positive(),
  p50: z.number().positive(),
  processorMs: z.number().positive(),
  postgres: z.object({ statements: z.number().positive(), writes: z.number().positive() }),
});
const apiResult = z.object({
  comparisons: z.array(
    z.object({
      operation: z.string(),
      connections: z.literal(2),
      ours: requestCost,
      baseline: requestCost.omit({ postgres: true }),
      ratio: z.number(),
    }),
  ),
});

let directory = '';

beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'partner-bench-'));
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

function bench(...args: string[]): Promise<CommandResult> {
  const file = path.join(PROJECT_ROOT, 'scripts/benchmarks/dist/main.js');
  return runCommand(process.execPath, [file, ...args], { cwd: PROJECT_ROOT, env: baseEnvironment() });
}

function stacksOfBenchmarks(): string[] {
  return readdirSync(path.join(PROJECT_ROOT, '.stack')).filter((entry) => entry.startsWith('bench-'));
}

describe('scripts/bench', () => {
  test('feed compares every way to read, ends as its ratios say, and leaves nothing behind', async () => {
    const before = stacksOfBenchmarks();
    const json = path.join(directory, 'feed.json');
    const ended = await bench('feed', '--changes', '2000', '--samples', '5', '--json', json);

    expect(ended.stderr).toBe('');
    expect(ended.stdout).toContain('yields each once');
    const { comparisons, holds } = feedResult.parse(JSON.parse(readFileSync(json, 'utf8')));
    expect(comparisons.map(({ read, atOnce, long }) => `${read}: ${atOnce}, ${long.samples}`)).toEqual([
      'the newest page: 1, 5',
      'the newest page: 8, 5',
      'after a cursor in the middle: 1, 5',
      'after a cursor in the middle: 8, 5',
      'at the end, nothing new: 1, 5',
      'at the end, nothing new: 8, 5',
    ]);
    expect(holds).toBe(comparisons.every(({ ratio }) => ratio <= 1.3));
    expect(ended.exitCode).toBe(holds ? 0 : 1);
    expect(stacksOfBenchmarks()).toEqual(before);
  });

  test('api compares the operations asked for with the baseline, and leaves nothing behind', async () => {
    const before = stacksOfBenchmarks();
    const json = path.join(directory, 'api.json');
    const sizes = ['--connections', '2', '--rounds', '1', '--seconds', '1'];
    const ended = await bench('api', '--operation', 'status event', ...sizes, '--json', json);

    expect(ended.stderr).toBe('');
    const { comparisons } = apiResult.parse(JSON.parse(readFileSync(json, 'utf8')));
    expect(comparisons.map(({ operation }) => operation)).toEqual(['status event']);
    for (const { ours, baseline, ratio } of comparisons) {
      expect(ratio).toBeCloseTo(ours.perSecond / baseline.perSecond, 5);
    }
    expect(ended.exitCode).toBe(0);
    expect(stacksOfBenchmarks()).toEqual(before);
  });

  test('backlog drains, says what a delivery costs, and leaves nothing behind', async () => {
    const before = stacksOfBenchmarks();
    const json = path.join(directory, 'backlog.json');
    const ended = await bench('backlog', '--events', '1000', '--json', json);

    expect(ended.stderr).toBe('');
    const { run, barePerSecond, ratio, holds } = backlogResult.parse(JSON.parse(readFileSync(json, 'utf8')));
    const [first = 0, second = 0] = barePerSecond;
    expect(ratio).toBeCloseTo((2 * run.sustainedPerSecond) / (first + second), 5);
    expect(ended.exitCode).toBe(holds ? 0 : 1);
    expect(stacksOfBenchmarks()).toEqual(before);
  });

  test.each([
    ['flood', ['--events', '100'], floodResult],
    ['latency', ['--rate', '20', '--seconds', '1'], latencyResult],
  ] as const)('%s says what an event costs, and leaves nothing behind', async (name, sizes, result) => {
    const before = stacksOfBenchmarks();
    const json = path.join(directory, `${name}.json`);
    const ended = await bench(name, ...sizes, '--json', json);

    expect(ended.stderr).toBe('');
    result.parse(JSON.parse(readFileSync(json, 'utf8')));
    expect(ended.exitCode).toBe(0);
    expect(stacksOfBenchmarks()).toEqual(before);
  });

  test('fairness receives every event of the healthy endpoints, and leaves nothing behind', async () => {
    const before = stacksOfBenchmarks();
    const json = path.join(directory, 'fairness.json');
    const ended = await bench('fairness', '--seconds', '5', '--burst', '200', '--json', json);

    expect(ended.stderr).toBe('');
    const { ratio, holds } = fairnessResult.parse(JSON.parse(readFileSync(json, 'utf8')));
    expect(holds).toBe(ratio <= 1.5);
    expect(ended.exitCode).toBe(holds ? 0 : 1);
    expect(stacksOfBenchmarks()).toEqual(before);
  });

  test('backoff measures the retries of both endpoints, none of them early, and leaves nothing behind', async () => {
    const before = stacksOfBenchmarks();
    const json = path.join(directory, 'backoff.json');
    const options = ['--deliveries', '4', '--retries', '1', '--base', '1000', '--json', json];
    const ended = await bench('backoff', ...options);

    expect(ended.stderr).toBe('');
    const { endpoints, holds } = backoffResult.parse(JSON.parse(readFileSync(json, 'utf8')));
    expect(endpoints.map(({ name, retries }) => [name, retries.map(({ backoffMs }) => backoffMs)])).toEqual([
      ['responds with 503', [1_000]],
      ['hangs', [1_000]],
    ]);
    const retries = endpoints.flatMap((endpoint) => endpoint.retries);
    for (const { min } of retries) expect(min).toBeGreaterThanOrEqual(0);
    expect(holds).toBe(retries.every(({ longestIdleMs }) => longestIdleMs <= 2_000));
    expect(ended.exitCode).toBe(holds ? 0 : 1);
    expect(stacksOfBenchmarks()).toEqual(before);
  });

  test('names an option that it can not use', async () => {
    const ended = await bench('feed', '--changes', '999');
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('It must be a whole number from 1000 on.');
  });
});
