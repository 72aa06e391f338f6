import type { DeliveryAttempted } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';

export type LeaseMemory = ReturnType<typeof createLeaseMemory>;

const CAPACITY = 20_000;

/**
 * Creates a memory of the attempts that this process made under the newest 20,000 leases. If the connection is lost before the
 * acknowledgement, the broker redelivers the command, and its result is reported again instead of POSTing twice. The command
 * of a forgotten lease is dropped, as if another process had it.
 */
export function createLeaseMemory() {
  const attempts = new Map<string, Promise<DeliveryAttempted> | 'reported'>();

  return {
    /** Returns the attempt under a lease, in flight or finished; `reported` when job-state has its result. */
    recall: (leaseId: string) => attempts.get(leaseId),
    /** Records an attempt at its start; drops it if it rejects. */
    began(leaseId: string, attempt: Promise<DeliveryAttempted>): void {
      for (const oldest of attempts.keys()) {
        if (attempts.size < CAPACITY) break;
        attempts.delete(oldest);
      }
      attempts.set(leaseId, attempt);
      attempt.catch(() => attempts.delete(leaseId));
    },
    /** Records that the broker has confirmed the result, and drops the result itself. */
    reported(leaseId: string): void {
      if (attempts.has(leaseId)) attempts.set(leaseId, 'reported');
    },
  };
}
