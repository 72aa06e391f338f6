import type { Transaction } from '../database/database.js';
import { decideAssignment } from './decide-job-change.js';
import type { JobAssignedCommand, JobCommand } from './job-commands.js';
import type { PlatformEffect } from './platform-effect.js';
import { recordJobChange } from './record-job-change.js';

/**
 * Assigns a job to an installer company, as {@link decideAssignment} decides.
 *
 * It pairs the companies, also if a newer assignment is in effect already. Locks: as {@link recordJobChange}, and the pair
 * while it is new.
 */
export async function recordJobAssigned(
  tx: Transaction,
  command: JobAssignedCommand,
  now: Date,
): Promise<PlatformEffect> {
  const { jobId, installerCompanyId, occurredAt } = command;
  const [known] = await tx.query<{ class: string | null }>(
    'select (select class from companies where id = $2) as class from jobs where id = $1',
    [jobId, installerCompanyId],
  );
  if (known === undefined) return { kind: 'early', missing: jobId };
  if (known.class === null) return { kind: 'early', missing: installerCompanyId };
  if (known.class !== 'INSTALLER') {
    return { kind: 'refused', reason: `company ${installerCompanyId} is not an installer company` };
  }
  return recordJobChange(
    tx,
    jobId,
    {
      occurredAt,
      contractedCompanyId: installerCompanyId,
      decide: (job) => decideAssignment(job, { ...command, companyId: installerCompanyId }),
    },
    now,
  );
}

/** Removes a job from its company, as {@link decideAssignment} decides. Locks: as {@link recordJobChange}. */
export function recordJobUnassigned(
  tx: Transaction,
  command: JobCommand,
  now: Date,
): Promise<PlatformEffect> {
  const { jobId, occurredAt } = command;
  return recordJobChange(
    tx,
    jobId,
    { occurredAt, decide: (job) => decideAssignment(job, { ...command, companyId: null }) },
    now,
  );
}
