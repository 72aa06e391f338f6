import type { DeliveryAttempted } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';

/**
 * Which attempts this process made under which leases. The broker delivers a command again when a connection is lost
 * before the acknowledgement; the attempt was made by then, and its result is reported again instead of a second POST.
 */
export interface LeaseMemory {
  /** The attempt under a lease: under way or over, or `reported` when job-state has its result. */
  recall(leaseId: string): Promise<DeliveryAttempted> | 'reported' | undefined;
  /** Remembers an attempt as it begins; one that fails to come to an end is forgotten. */
  began(leaseId: string, attempt: Promise<DeliveryAttempted>): void;
  /** Remembers that the broker has taken the result, and lets go of the result itself. */
  reported(leaseId: string): void;
}

/**
 * Makes a memory of the newest `capacity` leases. Forgetting costs at worst a second POST, which the receiver knows by its
 * event id.
 */
export function createLeaseMemory({ capacity = 20_000 }: { readonly capacity?: number } = {}): LeaseMemory {
  const attempts = new Map<string, Promise<DeliveryAttempted> | 'reported'>();

  return {
    recall: (leaseId) => attempts.get(leaseId),
    began(leaseId, attempt) {
      for (const oldest of attempts.keys()) {
        if (attempts.size < capacity) break;
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
