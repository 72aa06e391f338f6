import { readFileSync } from 'node:fs';
import { SERVICE_NAMES, serviceOf } from '@partner/local-stack/stack/services';
import type { Stack } from '@partner/local-stack/stack/start-stack';
import type { DeliveryHistory, Span } from './delivery-history.js';

const SAMPLE_MS = 10_000;
/** Of all samples of a service, at the beginning and at the end. */
const COMPARED = 0.2;

/** What a long run is measured by. */
export interface SoakFigures {
  /** Acknowledged writes, events and deliveries that were lost. */
  readonly lost: number;
  /** Events that a receiver took more than once, and all that it took. */
  readonly twice: number;
  readonly taken: number;
  /** Those that were taken more than once: by which receiver, and when first and again. */
  readonly repeats: readonly (Span & { readonly path: string })[];
  /** The longest time from the end of the last fault that a write met to its response, in milliseconds. */
  readonly longestReturnMs: number;
  /** The resident memory of the replicas of each service in MiB: the medians of the first and of the last samples. */
  readonly memory: Readonly<Record<string, { readonly first: number; readonly last: number }>>;
}

export function soakFigures(run: {
  readonly history: Pick<DeliveryHistory, 'writes' | 'requests'>;
  readonly violations: readonly string[];
  readonly faults: readonly Span[];
  readonly memory: SoakFigures['memory'];
}): SoakFigures {
  const taken = new Map<string, number>();
  const repeats = new Map<string, SoakFigures['repeats'][number]>();
  for (const { path, headers, envelope, responseStatus, receivedAt } of run.history.requests) {
    if (responseStatus < 200 || responseStatus > 299 || 'x-svc-test' in headers) continue;
    const key = `${String(headers['x-svc-subscription-id'] ?? path)} ${envelope.id}`;
    const from = taken.get(key);
    if (from === undefined) taken.set(key, receivedAt);
    else repeats.set(key, { path, from, to: receivedAt });
  }
  const returns = run.history.writes.map(({ sentAt, respondedAt }) => {
    const ends = run.faults.map(({ to }) => to).filter((to) => to > sentAt && to <= respondedAt);
    return respondedAt - Math.max(sentAt, ...ends);
  });
  return {
    lost: run.violations.filter((violation) => violation.includes('"verdict":"LOST"')).length,
    twice: repeats.size,
    taken: taken.size,
    repeats: [...repeats.values()],
    longestReturnMs: returns.reduce((a, b) => Math.max(a, b), 0),
    memory: run.memory,
  };
}

/** Samples the memory of the services until it is stopped. */
export function watchMemory(stack: Stack): { stop(): SoakFigures['memory'] } {
  const samples = new Map<string, number[]>();
  const timer = setInterval(() => {
    for (const service of SERVICE_NAMES) {
      const replicas = stack.processes.filter(({ name }) => serviceOf(name) === service);
      const sizes = replicas.flatMap(({ pid }) => residentMib(pid) ?? []);
      samples.set(service, [...(samples.get(service) ?? []), ...sizes]);
    }
  }, SAMPLE_MS);
  return {
    stop() {
      clearInterval(timer);
      return Object.fromEntries(
        [...samples].map(([service, sizes]) => {
          const compared = Math.max(1, Math.floor(sizes.length * COMPARED));
          return [service, { first: median(sizes.slice(0, compared)), last: median(sizes.slice(-compared)) }];
        }),
      );
    },
  };
}

/** Undefined for a process that has ended. */
function residentMib(pid: number | undefined): number | undefined {
  try {
    const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return found === null ? undefined : Math.round(Number(found[1]) / 1_024);
  } catch {
    return undefined;
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
