import type { Logger } from './logger.js';

/** Returns whether a dependency is usable now. Must not throw or wait. */
export type ReadinessCheck = () => boolean;

/** Lifecycle of a service: start, readiness and shutdown. */
export interface Lifecycle {
  /** Adds a condition of `/readyz`. */
  addReadinessCheck(name: string, check: ReadinessCheck): void;
  /**
   * Adds a shutdown step. Steps run one after another in the reverse order of their addition, so that what started last
   * stops first: stop taking work, finish work in flight, flush, close.
   */
  onShutdown(name: string, step: () => Promise<void>): void;
  /** Returns each condition with its state; `draining` is true from the start of a shutdown. */
  readiness(): { readonly ready: boolean; readonly checks: Readonly<Record<string, boolean>> };
  /** Marks the service as started; before that it is not ready. */
  started(): void;
  /** Runs the shutdown once; later calls wait for the same one. Resolves to false if a step failed or timed out. */
  shutDown(): Promise<boolean>;
}

/** Creates a lifecycle whose shutdown takes at most `graceMs` in total. */
export function createLifecycle(options: {
  readonly logger: Pick<Logger, 'info' | 'error'>;
  readonly graceMs: number;
}): Lifecycle {
  const checks = new Map<string, ReadinessCheck>();
  const steps: { name: string; step: () => Promise<void> }[] = [];
  let hasStarted = false;
  let isDraining = false;
  let shutdown: Promise<boolean> | undefined;

  async function runSteps(): Promise<boolean> {
    let clean = true;
    for (const { name, step } of steps.reverse()) {
      try {
        await step();
      } catch (error) {
        clean = false;
        options.logger.error({ err: error, step: name }, 'shutdown.step_failed');
      }
    }
    return clean;
  }

  async function runWithinGrace(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const graceOver = new Promise<false>((resolve) => {
      timer = setTimeout(() => {
        options.logger.error({ graceMs: options.graceMs }, 'shutdown.grace_exceeded');
        resolve(false);
      }, options.graceMs);
    });
    const clean = await Promise.race([runSteps(), graceOver]);
    clearTimeout(timer);
    return clean;
  }

  return {
    addReadinessCheck(name, check) {
      checks.set(name, check);
    },
    onShutdown(name, step) {
      steps.push({ name, step });
    },
    readiness() {
      const states: Record<string, boolean> = { started: hasStarted, accepting: !isDraining };
      for (const [name, check] of checks) states[name] = check();
      return { ready: Object.values(states).every(Boolean), checks: states };
    },
    started() {
      hasStarted = true;
    },
    shutDown() {
      isDraining = true;
      shutdown ??= runWithinGrace();
      return shutdown;
    },
  };
}
