import { invariant } from '@partner/kernel/process/invariant';

/** Returns a field that job-state always sets; its absence is a bug. */
export function requiredField<T>(value: T | undefined, name: string): T {
  invariant(value !== undefined, `job-state responds with ${name}`);
  return value;
}
