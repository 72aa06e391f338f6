import type { Logger } from '../telemetry/logger.js';

/** Whether a replica can serve. It is ready while every check holds; a lost dependency does not change that. */
interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, boolean>>;
  readonly dependencies: Readonly<Record<string, boolean>>;
}

export interface Lifecycle {
  /**
   * Adds a dependency, e.g. a backing service. `isAvailable` must not throw or wait. The service is not ready before each
   * dependency was available once. A later loss does not change its readiness: all replicas share the dependency.
   */
  addDependency(name: string, isAvailable: () => boolean): void;
  /**
   * Adds a shutdown step. Steps run one after another in the reverse order of their addition, so that the last component started
   * stops first: stop taking work, finish work in flight, flush, close.
   */
  onShutdown(name: string, step: () => Promise<void>): void;
  /** Returns each condition of being ready with its state, and whether each dependency is available now. */
  readiness(): Readiness;
  /** Marks the service as started; before that it is not ready. */
  started(): void;
  /** Runs the shutdown once; later calls wait for the same one. Resolves to false if a step failed or timed out. */
  shutDown(): Promise<boolean>;
}

export function createLifecycle(options: {
  readonly logger: Pick<Logger, 'info' | 'error'>;
  readonly graceMs: number;
}): Lifecycle {
  const availability = new Map<string, () => boolean>();
  const neverReached = new Set<string>();
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
    addDependency(name, isAvailable) {
      availability.set(name, isAvailable);
      neverReached.add(name);
    },
    onShutdown(name, step) {
      steps.push({ name, step });
    },
    readiness() {
      const dependencies: Record<string, boolean> = {};
      for (const [name, isAvailable] of availability) {
        dependencies[name] = isAvailable();
        if (dependencies[name]) neverReached.delete(name);
      }
      const checks = { started: hasStarted, accepting: !isDraining, reached: neverReached.size === 0 };
      return { ready: Object.values(checks).every(Boolean), checks, dependencies };
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
