import type { Logger } from '@partner/kernel/telemetry/logger';

const RETRY_MS = 1_000;

/** Whether releases fail, because the broker or the database is away. */
export interface Outage {
  isOn(): boolean;
  /** True for a second after a failure. */
  rests(): boolean;
  /** Begins or extends it without a log line. */
  begin(atMs: number): void;
  failed(cause: unknown): void;
  released(): void;
}

/** Tracks an outage. Its begin and its end are logged. `elapsedMs` is monotonic. */
export function trackOutage(elapsedMs: () => number, logger: Pick<Logger, 'info' | 'warn'>): Outage {
  let failedAt: number | undefined;
  return {
    isOn: () => failedAt !== undefined,
    rests: () => failedAt !== undefined && elapsedMs() - failedAt < RETRY_MS,
    begin(atMs) {
      failedAt = atMs;
    },
    failed(cause) {
      if (failedAt === undefined) logger.warn({ err: cause }, 'deliveries.release_failed');
      failedAt = elapsedMs();
    },
    released() {
      if (failedAt !== undefined) logger.info({}, 'deliveries.release_resumed');
      failedAt = undefined;
    },
  };
}
