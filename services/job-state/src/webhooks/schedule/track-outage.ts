import type { Logger } from '@partner/kernel/telemetry/logger';

const RETRY_MS = 1_000;

/** Tracks whether releases fail, because the broker or the database is away. Begin and end are logged. `elapsedMs` is monotonic. */
export function trackOutage(elapsedMs: () => number, logger: Pick<Logger, 'info' | 'warn'>) {
  let failedAt: number | undefined;
  return {
    isOn: () => failedAt !== undefined,
    /** True for a second after a failure. */
    rests: () => failedAt !== undefined && elapsedMs() - failedAt < RETRY_MS,
    /** Begins or extends it without a log line. */
    begin(atMs: number): void {
      failedAt = atMs;
    },
    failed(cause: unknown): void {
      if (failedAt === undefined) logger.warn({ err: cause }, 'deliveries.release_failed');
      failedAt = elapsedMs();
    },
    released(): void {
      if (failedAt !== undefined) logger.info({}, 'deliveries.release_resumed');
      failedAt = undefined;
    },
  };
}
