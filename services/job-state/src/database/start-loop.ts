import type { Logger } from '@partner/kernel/telemetry/logger';
import type { Registry } from 'prom-client';
import { counter, gauge } from '@partner/kernel/amqp/metrics';

/** A loop that runs until it is stopped. */
export interface Loop {
  /** Runs again at once, or right after the run in flight. */
  readonly wake: () => void;
  /** Runs again after the rest period. */
  readonly wakeLater: () => void;
  /** Waits for the run in flight and stops. */
  readonly stop: () => Promise<void>;
}

/**
 * Runs work repeatedly, never two runs at a time: at once after `more`, else after the interval or when woken.
 *
 * A run that throws is logged and counts as idle, so that an outage needs no restart. With `failurePauseMs`, failing runs are
 * at least that far apart, woken or not, and only the first failure and the recovery are logged. With `restMs`, the loop rests
 * that long after each idle run before it reacts to `wakeLater`, so that frequent wake-ups are batched; `wake` ends the rest.
 * The time of the last success is a metric, so that a hanging or failing loop is visible without its log.
 */
export function startLoop(options: {
  readonly name: string;
  /** Also as a function of what the latest run found. */
  readonly intervalMs: number | (() => number);
  readonly failurePauseMs?: number;
  readonly restMs?: number;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly metrics: Registry;
  readonly runOnce: () => Promise<'more' | 'idle'>;
}): Loop {
  const loop = { loop: options.name };
  const lastSuccess = gauge(options.metrics, {
    name: 'partner_loop_last_success_timestamp_seconds',
    help: 'Time of the last successful run of a loop of this process; 0 before the first.',
    labels: ['loop'],
  });
  const failures = counter(options.metrics, {
    name: 'partner_loop_failures_total',
    help: 'Runs of a loop that failed; each is retried.',
    labels: ['loop'],
  });
  lastSuccess.set(loop, 0);
  failures.inc(loop, 0);
  let isStopped = false;
  let isWoken = false;
  let isWokenLater = false;
  let isFailing = false;
  let isResting = false;
  let endPause: () => void = () => undefined;

  async function pause(): Promise<void> {
    if (isStopped || ((isWoken || isWokenLater) && !isFailing)) return;
    const { intervalMs } = options;
    const restMs = typeof intervalMs === 'number' ? intervalMs : intervalMs();
    await wait((isFailing ? options.failurePauseMs : undefined) ?? restMs);
  }

  async function rest(): Promise<void> {
    if (isStopped || isWoken || options.restMs === undefined) return;
    isResting = true;
    await wait(options.restMs);
    isResting = false;
  }

  function wait(milliseconds: number): Promise<void> {
    return new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function attempt(): Promise<'more' | 'idle'> {
    try {
      const next = await options.runOnce();
      lastSuccess.setToCurrentTime(loop);
      if (isFailing) options.logger.info({}, `${options.name}.resumed`);
      isFailing = false;
      return next;
    } catch (error) {
      failures.inc(loop);
      if (!isFailing) options.logger.warn({ err: error }, `${options.name}.failing`);
      isFailing = options.failurePauseMs !== undefined;
      return 'idle';
    }
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      isWoken = false;
      isWokenLater = false;
      if ((await attempt()) === 'more') continue;
      await rest();
      await pause();
    }
  }

  const ended = run();
  return {
    wake() {
      isWoken = true;
      if (!isFailing) endPause();
    },
    wakeLater() {
      isWokenLater = true;
      if (!isFailing && !isResting) endPause();
    },
    async stop() {
      isStopped = true;
      endPause();
      await ended;
    },
  };
}
