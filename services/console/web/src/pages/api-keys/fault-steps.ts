import {
  FAULT_LIMITS,
  type FaultScript,
  type RequestFault,
} from '@partner/proto-contracts/resources/fault-script/fault-script';
import { formatCountOf } from '../../format.js';

/** The kinds of faults, with what they test. */
export const FAULT_LABELS: Readonly<Record<RequestFault['fault'], string>> = {
  rate_limited: 'Rate limit (429)',
  server_error: 'Server error (500 or 503)',
  delay: 'Late response',
};

/** Returns a fault of the given kind with usual values. */
export function newFault(fault: RequestFault['fault']): RequestFault {
  switch (fault) {
    case 'rate_limited':
      return { fault, retryAfterSeconds: 1, times: 1 };
    case 'server_error':
      return { fault, status: 503, when: 'before', times: 1 };
    case 'delay':
      return { fault, delayMs: 3_000, times: 1 };
  }
}

/** Says what a fault does to the requests in its turn. */
export function describeFault(step: RequestFault): string {
  const requests = formatCountOf(step.times, 'request', 'requests');
  switch (step.fault) {
    case 'rate_limited':
      return `${requests}: refused with 429 and retry-after ${step.retryAfterSeconds}. Nothing changes.`;
    case 'server_error':
      return step.when === 'before'
        ? `${requests}: ${step.status}. Nothing changes.`
        : `${requests}: takes effect, but the response is ${step.status}. A repeat with the same Idempotency-Key returns the original response.`;
    case 'delay':
      return `${requests}: takes effect as usual, with the response ${step.delayMs / 1_000} s late.`;
  }
}

/** Whether the script has no fault. */
export function isEmptyScript({ requests, webhooks }: FaultScript): boolean {
  return requests.length === 0 && !webhooks.duplicate && !webhooks.reorder;
}

/** Whether another step fits into the script. */
export function hasRoom({ requests }: FaultScript): boolean {
  return requests.length < FAULT_LIMITS.steps;
}
