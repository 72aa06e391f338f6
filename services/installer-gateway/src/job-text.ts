import { invariant } from '@partner/kernel/invariant';

/** One job as answers of a version show it, put together around the projection's own text, which is never parsed on the way. */
export function jobText(apiVersion: string, resourceJson: string | undefined): string {
  invariant(resourceJson, 'a job has a projection');
  return `{"apiVersion":"${apiVersion}","resource":${resourceJson}}`;
}
