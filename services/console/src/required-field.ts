import { invariant } from '@partner/kernel/invariant';

/** A field that job-state always gives; its absence is a fault of ours. */
export function requiredField<T>(value: T | undefined, name: string): T {
  invariant(value !== undefined, `job-state answers with ${name}`);
  return value;
}
