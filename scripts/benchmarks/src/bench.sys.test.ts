import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { baseEnvironment } from '@partner/test-kit/backing-services/local-process';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { type CommandResult, runCommand } from '@partner/local-stack/run-command';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { renderApi, runApiBench } from './api-bench.js';
import { startBenchStack } from './bench-stack.js';
import { renderDeliveries, renderFigures, runBacklog, runHeldSnapshot } from './delivery-bench.js';

const positive = z.number().positive();
const latencyResult = z.object({
  fromPublish: z.object({ samples: z.literal(20), p50: positive, p99: positive }),
  run: z.object({
    ...{ events: z.literal(20), recordedPerSecond: positive, brokerBytes: positive },
    processors: z.object({ 'job-state': z.number(), postgres: z.number() }),
    postgres: z.object({ statements: positive, transactions: positive, inserted: positive }),
  }),
});

function bench(...args: string[]): Promise<CommandResult> {
  const file = path.join(PROJECT_ROOT, 'scripts/benchmarks/dist/main.js');
  return runCommand(process.execPath, [file, ...args], { cwd: PROJECT_ROOT, env: baseEnvironment() });
}

function stacksOfBenchmarks(): string[] {
  return readdirSync(path.join(PROJECT_ROOT, '.stack')).filter((entry) => entry.startsWith('bench-'));
}

test('scripts/bench measures on a separate stack, prints the result, writes it to a file, and leaves nothing behind', async () => {
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

test('a benchmark of the API, one of deliveries, and one beside a snapshot, measure and print their results', async () => {
  const shared = await startBenchStack({ report: () => undefined, signal: new AbortController().signal });
  try {
    const sizes = { operation: ['status event'], connections: [2], rounds: 1, seconds: 1 };
    const api = renderApi(await runApiBench(shared, sizes)).join('\n');
    expect(api).toContain('processor time in ms a request');
    const snapshot = { rate: 20, minutes: 2, events: 100 };
    const held = renderFigures(await runHeldSnapshot(shared, snapshot, 1)).join('\n');
    expect(held).toContain('20 events a second, then a flood of 100, beside a snapshot of 2 minutes');
    const backlog = renderDeliveries(await runBacklog(shared, { events: 200 })).join('\n');
    expect(backlog).toContain('200 deliveries to 100 endpoints');
    expect(api + backlog + held).not.toMatch(/NaN|Infinity|undefined/);
  } finally {
    await shared.discard();
  }
});
