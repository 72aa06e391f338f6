import type { FaultScript, RequestFault } from '@partner/proto-contracts/resources/fault-script/fault-script';
import { formatCountOf } from '../../format.js';

/** The kinds of faults: what they test, and a step with usual values. */
export const FAULTS: Readonly<
  Record<RequestFault['fault'], { readonly label: string; readonly initial: RequestFault }>
> = {
  rate_limited: {
    label: 'Rate limit (429)',
    initial: { fault: 'rate_limited', retryAfterSeconds: 1, times: 1 },
  },
  server_error: {
    label: 'Server error (500 or 503)',
    initial: { fault: 'server_error', status: 503, when: 'before', times: 1 },
  },
  delay: { label: 'Late response', initial: { fault: 'delay', delayMs: 3_000, times: 1 } },
};

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
