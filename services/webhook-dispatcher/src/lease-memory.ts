import type { DeliveryAttempted } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';

/**
 * Records which attempts this process made under which leases. If the connection is lost before the acknowledgement,
 * the broker redelivers the command. Its result is then reported again instead of POSTing twice.
 */
export interface LeaseMemory {
  /** Returns the attempt under a lease, in flight or finished; `reported` when job-state has its result. */
  recall(leaseId: string): Promise<DeliveryAttempted> | 'reported' | undefined;
  /** Records an attempt at its start; drops it if it rejects. */
  began(leaseId: string, attempt: Promise<DeliveryAttempted>): void;
  /** Records that the broker has confirmed the result, and drops the result itself. */
  reported(leaseId: string): void;
}

const CAPACITY = 20_000;

/**
 * Creates a memory of the newest 20,000 leases. A dropped lease causes at most a second POST, which the receiver
 * recognizes by its event id.
 */
export function createLeaseMemory(): LeaseMemory {
  const attempts = new Map<string, Promise<DeliveryAttempted> | 'reported'>();

  return {
    recall: (leaseId) => attempts.get(leaseId),
    began(leaseId, attempt) {
      for (const oldest of attempts.keys()) {
        if (attempts.size < CAPACITY) break;
        attempts.delete(oldest);
      }
      attempts.set(leaseId, attempt);
      attempt.catch(() => attempts.delete(leaseId));
    },
    reported(leaseId) {
      if (attempts.has(leaseId)) attempts.set(leaseId, 'reported');
    },
  };
}
