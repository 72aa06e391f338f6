import { invariant } from '@partner/kernel/invariant';

/**
 * Returns one job as the responses of a version show it. The projection's own text is embedded without being parsed.
 */
export function jobText(apiVersion: string, resourceJson: string | undefined): string {
  invariant(resourceJson, 'a job has a projection');
  return `{"apiVersion":"${apiVersion}","resource":${resourceJson}}`;
}
