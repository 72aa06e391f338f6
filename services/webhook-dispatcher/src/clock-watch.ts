import type { Logger } from '@partner/kernel/telemetry/logger';
import type { DeliveryMetrics } from './delivery-metrics.js';
import type { DeliveryCommand } from './read-delivery-command.js';

export type ClockWatch = ReturnType<typeof createClockWatch>;

/** Clocks that NTP synchronizes differ by less. */
const TOLERATED_MS = 2_000;
/** Commands that waited too long in the queue are dropped at once, so after this time new ones are fresh. */
const QUEUE_DRAINED_MS = 30_000;

/**
 * Creates the watch. If this clock is ahead, every command looks late and nothing is delivered. If it is behind, a
 * lease appears longer than it is, and an attempt can be made twice. In both cases signatures carry a wrong time. A skew
 * that queueing cannot explain is counted and logged as the error `clock.skewed`:
 *
 * - ahead: every command was late for 30 s;
 * - behind: a lease begins in the future.
 */
export function createClockWatch(deps: {
  readonly clock: () => Date;
  /** Monotonic clock, in ms. */
  readonly elapsedMs: () => number;
  readonly logger: Pick<Logger, 'error'>;
  readonly metrics: Pick<DeliveryMetrics, 'clockSkewed'>;
}) {
  let lateSinceMs: number | undefined;

  function skewed(direction: 'ahead' | 'behind', offByMs: number, command: DeliveryCommand): void {
    deps.metrics.clockSkewed(direction);
    deps.logger.error(
      { direction, offByMs, deliveryId: command.deliveryId, leaseExpiresAt: command.leaseExpiresAt },
      'clock.skewed',
    );
  }

  return {
    /** Records a command that arrived with enough time for its attempt. */
    cameInTime(command: DeliveryCommand): void {
      lateSinceMs = undefined;
      if (command.leasedAt === undefined) return;
      const behindByMs = command.leasedAt.getTime() - deps.clock().getTime();
      if (behindByMs > TOLERATED_MS) skewed('behind', behindByMs, command);
    },
    cameTooLate(command: DeliveryCommand): void {
      const nowMs = deps.elapsedMs();
      lateSinceMs ??= nowMs;
      if (nowMs - lateSinceMs < QUEUE_DRAINED_MS) return;
      const leasedAt = command.leasedAt ?? command.leaseExpiresAt;
      skewed('ahead', deps.clock().getTime() - leasedAt.getTime(), command);
    },
  };
}
