import { CURRENT_API_VERSION } from '@partner/proto-contracts/public-api/versions';
import { invariant } from '@partner/runtime/invariant';

/** One job as answers show it, put together around the projection's own text, which is never parsed on the way. */
export function jobText(resourceJson: string | undefined): string {
  invariant(resourceJson, 'a job has a projection');
  return `{"apiVersion":"${CURRENT_API_VERSION}","resource":${resourceJson}}`;
}
