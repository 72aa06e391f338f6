import type { Logger } from '@partner/runtime/logger';

/** A loop that runs until it is stopped. */
export interface Loop {
  /** Runs again at once, or right after the run in flight. */
  wake(): void;
  /** Waits for the run in flight and ends. */
  stop(): Promise<void>;
}

/**
 * Runs work again and again, never two at a time: at once after `more`, else after the interval or when woken. A run that
 * throws is logged and tried again after the interval, so that an outage needs no restart.
 */
export function startLoop(options: {
  readonly name: string;
  readonly intervalMs: number;
  readonly logger: Pick<Logger, 'warn'>;
  readonly runOnce: () => Promise<'more' | 'idle'>;
}): Loop {
  let stopped = false;
  let woken = false;
  let endPause: () => void = () => undefined;

  async function pause(): Promise<void> {
    if (woken || stopped) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, options.intervalMs);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function run(): Promise<void> {
    while (!stopped) {
      woken = false;
      let next: 'more' | 'idle' = 'idle';
      try {
        next = await options.runOnce();
      } catch (error) {
        options.logger.warn({ err: error }, `${options.name}.run_failed`);
      }
      if (next === 'idle') await pause();
    }
  }

  const ended = run();
  return {
    wake() {
      woken = true;
      endPause();
    },
    async stop() {
      stopped = true;
      endPause();
      await ended;
    },
  };
}
