import { expect, test } from '@jest/globals';
import { coresOfOthers, type Usage, usagePerRequest } from './usage-meter.js';

function usage(elapsedMs: number, processorMs: number, count: number): Usage {
  const postgres = { statements: count, writes: count, walBytes: count, waits: count };
  return { elapsedMs, processors: { 'job-state': processorMs }, machineMs: 3 * processorMs, postgres };
}

test('a request is charged with the usage above that of an idle service in the same time', () => {
  const slices = [usage(1_000, 150, 500), usage(2_000, 300, 850)];
  const idle = usage(2_000, 100, 100);
  expect(usagePerRequest(slices, { idle, requests: 100 })).toEqual({
    processors: { 'job-state': 3 },
    postgres: { statements: 12, writes: 12, walBytes: 12, waits: 12 },
  });
});

test('processor time of processes that are not measured counts as that of others', () => {
  expect(coresOfOthers([usage(1_000, 500, 0), usage(1_000, 300, 0)])).toBe(0.8);
});
