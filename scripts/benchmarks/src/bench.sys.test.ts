import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { baseEnvironment } from '@partner/test-kit/backing-services/local-process';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { type CommandResult, runCommand } from '@partner/local-stack/run-command';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { renderApi, runApiBench } from './api-bench.js';
import { renderBacklog, runBacklogBench } from './backlog-bench.js';
import { type Bench, startBenchStack } from './bench-stack.js';
import { renderFairness, runFairnessBench } from './fairness-bench.js';
import { renderFeed, runFeedBench } from './feed-bench.js';
import { renderFlood, runFloodBench } from './flood-bench.js';
import { renderNeighbour, runNeighbourBench } from './neighbour-bench.js';

const latencyResult = z.object({
  fromPublish: z.object({ samples: z.literal(20), p50: z.number().positive(), p99: z.number().positive() }),
  run: z.object({
    events: z.literal(20),
    recordedPerSecond: z.number().positive(),
    processors: z.object({ 'job-state': z.number(), postgres: z.number() }),
    postgres: z.object({ transactions: z.number().positive(), inserted: z.number().positive() }),
  }),
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

  test.each<[string, (on: Bench) => Promise<readonly string[]>, readonly string[]]>([
    [
      'the feed',
      async (on) => renderFeed(await runFeedBench(on, { changes: 2_000, samples: 5 })),
      ['the newest page', 'after a cursor in the middle', 'at the end, nothing new'],
    ],
    [
      'the API',
      async (on) => {
        const sizes = { operation: ['status event'], connections: [2], rounds: 1, seconds: 1 };
        return renderApi(await runApiBench(on, sizes));
      },
      ['status event', 'processor time in ms a request'],
    ],
    [
      'a backlog',
      async (on) => renderBacklog(await runBacklogBench(on, { events: 200 })),
      ['200 deliveries to 100 endpoints', 'a bare loop of signed POSTs'],
    ],
    [
      'a flood',
      async (on) => renderFlood(await runFloodBench(on, { events: 100 })),
      ['100 events to 100 endpoints', 'published by 32 publishers'],
    ],
    [
      'fairness',
      async (on) => renderFairness(await runFairnessBench(on, { burst: 100, seconds: 1 })),
      ['20 healthy endpoints', 'beside the bad ones', '20 events'],
    ],
    [
      'a noisy neighbour',
      async (on) => renderNeighbour(await runNeighbourBench(on, { rounds: 1, seconds: 1 })),
      ['installer', 'inbound', 'console', 'ratio of p99'],
    ],
  ])('of %s measures and prints its result', async (_what, measure, printed) => {
    const lines = (await measure(shared)).join('\n');
    for (const text of printed) expect(lines).toContain(text);
    expect(lines).not.toMatch(/NaN|Infinity|undefined/);
  });
});
