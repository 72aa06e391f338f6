import type { Logger } from './logger.js';

/** Says whether a part that a service depends on can be used now. Must not throw and must not wait. */
export type ReadinessCheck = () => boolean;

/** The order in which a service starts, is ready, and stops. */
export interface Lifecycle {
  /** Adds a condition of `/readyz`. */
  addReadinessCheck(name: string, check: ReadinessCheck): void;
  /**
   * Adds a step of the shutdown. Steps run one after another in the reverse order of their addition, so that what was
   * started last stops first: take no new work, finish what is in flight, flush, close.
   */
  onShutdown(name: string, step: () => Promise<void>): void;
  /** Each condition with its state; `draining` is true from the first moment of a shutdown. */
  readiness(): { readonly ready: boolean; readonly checks: Readonly<Record<string, boolean>> };
  /** Marks the service as started; it is not ready before. */
  started(): void;
  /** Runs the shutdown once; later calls wait for the same one. Resolves to false when a step failed or took too long. */
  shutDown(): Promise<boolean>;
}

/** Makes a lifecycle whose shutdown takes at most `graceMs` in all. */
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
