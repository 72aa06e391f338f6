import type { Logger } from '@partner/kernel/logger';
import type { DeliveryMetrics } from './delivery-metrics.js';
import type { DeliveryCommand } from './read-delivery-command.js';

/** Watches whether this machine's clock agrees with the one that sets the leases. */
export interface ClockWatch {
  /** Takes note of a command that came with time enough for its attempt. */
  cameInTime(command: DeliveryCommand): void;
  /** Takes note of a command that came too late for its attempt. */
  cameTooLate(command: DeliveryCommand): void;
}

/** Clocks that are kept by NTP differ by less. */
const TOLERATED_MS = 2_000;
/** What waited too long in the queue is dropped at once, so that after this time what comes has just been released. */
const QUEUE_DRAINED_MS = 30_000;

/**
 * Makes the watch. A clock that is ahead lets every command look late, and nothing is delivered; one that is behind lets a
 * lease look longer than it is, and attempts are made twice. Either way signatures carry a wrong time. What cannot be
 * explained by waiting in the queue is an error in the log, `clock.skewed`, and counted:
 *
 * - ahead: for 30 s every command came too late;
 * - behind: a lease begins in the future.
 */
export function createClockWatch(deps: {
  readonly clock: () => Date;
  /** Milliseconds that only grow. */
  readonly elapsedMs: () => number;
  readonly logger: Pick<Logger, 'error'>;
  readonly metrics: Pick<DeliveryMetrics, 'clockSkewed'>;
}): ClockWatch {
  let lateSinceMs: number | undefined;

  function skewed(direction: 'ahead' | 'behind', offByMs: number, command: DeliveryCommand): void {
    deps.metrics.clockSkewed(direction);
    deps.logger.error(
      { direction, offByMs, deliveryId: command.deliveryId, leaseExpiresAt: command.leaseExpiresAt },
      'clock.skewed',
    );
  }

  return {
    cameInTime(command) {
      lateSinceMs = undefined;
      if (command.leasedAt === undefined) return;
      const behindByMs = command.leasedAt.getTime() - deps.clock().getTime();
      if (behindByMs > TOLERATED_MS) skewed('behind', behindByMs, command);
    },
    cameTooLate(command) {
      const nowMs = deps.elapsedMs();
      lateSinceMs ??= nowMs;
      if (nowMs - lateSinceMs < QUEUE_DRAINED_MS) return;
      const leasedAt = command.leasedAt ?? command.leaseExpiresAt;
      skewed('ahead', deps.clock().getTime() - leasedAt.getTime(), command);
    },
  };
}
