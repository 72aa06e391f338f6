import type { RequestFault } from '@partner/proto-contracts/resources/fault-script/fault-script';
import { formatCountOf } from '../../format.js';

/** The faults to choose from, each for one request. The API also accepts others. */
export const FAULTS: Readonly<Record<string, RequestFault>> = {
  'Rate limit (429)': { fault: 'rate_limited', retryAfterSeconds: 1, times: 1 },
  'Server error (503)': { fault: 'server_error', status: 503, when: 'before', times: 1 },
  'Lost response (500)': { fault: 'server_error', status: 500, when: 'after', times: 1 },
  'Slow response (3 s)': { fault: 'delay', delayMs: 3_000, times: 1 },
};

/** Says what a fault does to the requests in its turn. */
export function describeFault(step: RequestFault): string {
  const requests = formatCountOf(step.times, 'request', 'requests');
  switch (step.fault) {
    case 'rate_limited':
      return `${requests}: returns 429, retry after ${step.retryAfterSeconds} s. Nothing is saved.`;
    case 'server_error':
      return step.when === 'before'
        ? `${requests}: returns ${step.status}. Nothing is saved.`
        : `${requests}: is saved, but returns ${step.status}. A repeat returns the original response.`;
    case 'delay':
      return `${requests}: responds ${step.delayMs / 1_000} s late.`;
  }
}
