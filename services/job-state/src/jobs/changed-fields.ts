import { isDeepStrictEqual } from 'node:util';
import type { InstallerJob } from '@partner/proto-contracts/resources/job/job';
import { JOB_FIELDS } from '@partner/proto-contracts/resources/job/job-fields';

const PATHS = JOB_FIELDS.map((name) => ({ name, path: name.split('.') }));

/** Returns the public fields that differ between two versions of a job, in the order of the job. */
export function changedFields(before: InstallerJob, after: InstallerJob): readonly string[] {
  const differs = ({ path }: { readonly path: readonly string[] }) =>
    !isDeepStrictEqual(valueAt(before, path), valueAt(after, path));
  return PATHS.filter(differs).map(({ name }) => name);
}

function valueAt(job: InstallerJob, path: readonly string[]): unknown {
  let value: unknown = job;
  for (const name of path) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  }
  return value;
}
