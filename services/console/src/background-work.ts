import type { Logger } from '@partner/kernel/telemetry/logger';
import { createShareGate } from '@partner/kernel/process/share-gate';

/**
 * Creates the work that no response waits for, such as sending email. It may be lost when the process ends. At most 4 run at once and
 * 100 wait; more are dropped and logged.
 */
export function createBackgroundWork(deps: { readonly logger: Pick<Logger, 'warn'> }) {
  const gate = createShareGate({ slots: 4, queue: 100, work: 'emails' });
  const started = new Set<Promise<void>>();
  return {
    /** Starts work, or queues it. Never throws; a failure is logged under the name. Keys are served round-robin. */
    start(key: string, name: string, work: () => Promise<void>): void {
      const run = gate
        .run(key, { timeoutMs: Number.POSITIVE_INFINITY }, work)
        .catch((error: unknown) => deps.logger.warn({ err: error }, `${name}_failed`))
        .finally(() => started.delete(run));
      started.add(run);
    },
    /** Resolves once all started work has ended. */
    async settled() {
      while (started.size > 0) await Promise.all(started);
    },
  };
}
