import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '@partner/local-stack/stack/start-stack';
import { eventually } from '@partner/test-kit/eventually';
import type { Span } from './delivery-history.js';
import { FAULTY_PROCESSES, type PlannedFault } from './fault-plan.js';

/** How long a command to a server that is away is repeated, and the start of a process that ends again. */
const PERSISTENCE_MS = 300_000;
const SUPERVISOR_INTERVAL_MS = 250;
/** How much later than planned the last fault may begin. */
const LEEWAY_MS = 1_000;

/** What was done, when, and what came of it. */
export interface DoneFault extends Span {
  readonly what: string;
  /** Empty when it was done as planned. */
  readonly note: string;
}

/**
 * Plays a plan of faults on a stack, reports each once it is over, and resolves once all of them are over and every process is
 * ready again. A process that has ended, by a fault or without one, is started again, as a supervisor would; nothing else is done
 * for the service. A fault whose process is busy with earlier ones beyond the last planned time is left out, so that a slow
 * machine does not prolong the span.
 */
export async function playFaults(
  stack: Stack,
  plan: readonly PlannedFault[],
  onDone: (done: DoneFault) => void,
): Promise<void> {
  const busy = new Map<string, Promise<unknown>>();
  const beganAt = Date.now();
  const endsAt = beganAt + Math.max(...plan.map(({ atMs }) => atMs)) + LEEWAY_MS;

  /** Faults of one process follow one another; those of several overlap. */
  function inTurn<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const turn = (busy.get(name) ?? Promise.resolve()).then(work);
    busy.set(
      name,
      turn.catch(() => undefined),
    );
    return turn;
  }

  async function note(what: string, work: () => Promise<string>): Promise<void> {
    const from = Date.now();
    const outcome = await work().catch((error: unknown) => String(error).split('\n')[0] ?? '');
    onDone({ what, from, to: Date.now(), note: outcome });
  }

  const end = new AbortController();
  async function supervise(): Promise<void> {
    while (!end.signal.aborted) {
      for (const name of FAULTY_PROCESSES) {
        const process = stack.process(name);
        if (process.pid !== undefined) continue;
        await inTurn(name, async () => {
          if (process.pid === undefined)
            await note(`${name} has ended by itself and is started`, () => process.start().then(() => ''));
        });
      }
      await delay(SUPERVISOR_INTERVAL_MS);
    }
  }

  async function inject({ fault: { what, process, inject: play } }: PlannedFault): Promise<void> {
    if (process === undefined) return note(what, () => persistently(what, () => play(stack)));
    return inTurn(process, async () => {
      if (Date.now() < endsAt) await note(what, () => play(stack));
    });
  }

  const supervisor = supervise();
  try {
    await Promise.all(
      plan.map(async (planned) => {
        await delay(Math.max(0, beganAt + planned.atMs - Date.now()));
        await inject(planned);
      }),
    );
  } finally {
    end.abort();
    await supervisor;
  }
  await Promise.all(
    FAULTY_PROCESSES.map((name) =>
      // However often it ends before.
      persistently(`${name} is ready`, async () => {
        await stack.process(name).start();
        await stack.process(name).ready(AbortSignal.timeout(120_000));
        return '';
      }),
    ),
  );
}

/** Repeats work until it succeeds, while what it needs is away. Throws with its last error when that takes too long. */
async function persistently(what: string, work: () => Promise<string>): Promise<string> {
  let last: unknown;
  const { outcome } = await eventually(
    () => `${what}; the last error: ${String(last)}`,
    async () => {
      try {
        return { outcome: await work() };
      } catch (error) {
        last = error;
        return undefined;
      }
    },
    { timeoutMs: PERSISTENCE_MS, everyMs: SUPERVISOR_INTERVAL_MS },
  );
  return outcome;
}

/** Lines that tell what was done, with times after the first one. */
export function timelineOf(faults: readonly DoneFault[]): string {
  const done = faults.toSorted((a, b) => a.from - b.from);
  const start = done[0]?.from ?? 0;
  const seconds = (at: number) => ((at - start) / 1_000).toFixed(1).padStart(6);
  return done
    .map(
      ({ from, to, what, note }) =>
        `${seconds(from)} s to ${seconds(to)} s  ${what}${note === '' ? '' : `: ${note}`}`,
    )
    .join('\n');
}
