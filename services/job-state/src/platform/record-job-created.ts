import type { Queryable } from '../database/database.js';
import { normaliseAddress } from '../leads/address-key/normalise-address.js';
import type { PlatformEffect } from './platform-effect.js';
import type { JobCreatedCommand } from './job-commands.js';

/**
 * Records a job that the platform created, at version 1 and unassigned, and its project if the message names one.
 *
 * Leads for the same address merge into the project, unless another project already has the address. An existing job stays
 * unchanged; a job or project of another company is refused. Locks: the project.
 */
export async function recordJobCreated(
  tx: Queryable,
  command: JobCreatedCommand,
  now: Date,
): Promise<PlatformEffect> {
  const { jobId, customer, sellingCompanyId, projectId } = command;
  const [company] = await tx.query<{ class: string }>('select class from companies where id = $1', [
    sellingCompanyId,
  ]);
  if (company === undefined) return { kind: 'early', missing: sellingCompanyId };
  if (company.class !== 'SALES')
    return { kind: 'refused', reason: `company ${sellingCompanyId} is not a sales company` };

  const [known] = await tx.query<{ selling_company_id: string }>(
    'select selling_company_id from jobs where id = $1',
    [jobId],
  );
  if (known !== undefined) {
    return known.selling_company_id === sellingCompanyId
      ? { kind: 'ignored', why: 'the job is there already' }
      : { kind: 'refused', reason: `job ${jobId} belongs to another company` };
  }
  if (projectId !== undefined && !(await ensureProject(tx, { ...command, projectId }, now)))
    return { kind: 'refused', reason: `project ${projectId} belongs to another company` };

  await tx.query(
    `insert into jobs (id, selling_company_id, project_id, work_order_no, version, status, customer, scope, platform_state,
       created_at, updated_at, last_updated_at)
     values ($1, $2, $3, $4, 1, 'ASSIGNED', $5, $6, $9, $7, $8, $8)`,
    [
      jobId,
      sellingCompanyId,
      projectId ?? null,
      command.workOrderNo,
      JSON.stringify(customer),
      JSON.stringify(command.scope),
      command.occurredAt,
      now,
      JSON.stringify({ scope: command.version }),
    ],
  );
  return { kind: 'applied', appeared: projectId === undefined ? [jobId] : [jobId, projectId] };
}

/** The project of a job and its address, which concurrent messages lock in one order. */
export function createdByJob({
  projectId,
  sellingCompanyId,
  customer,
}: JobCreatedCommand): readonly string[] {
  return projectId === undefined ? [] : [projectId, `${sellingCompanyId} ${addressKeyOf(customer)}`];
}

function addressKeyOf({ line1, city, state, zip }: JobCreatedCommand['customer']): string {
  return normaliseAddress(`${line1}, ${city}, ${state} ${zip}`);
}

/**
 * Creates the project unless it exists; false if it is another company's.
 *
 * A project without an address gets the address's key, unless another project of the company has it. In the false case nothing
 * is created.
 */
async function ensureProject(
  tx: Queryable,
  command: JobCreatedCommand & { readonly projectId: string },
  now: Date,
): Promise<boolean> {
  const { projectId, sellingCompanyId, customer } = command;
  const addressKey = addressKeyOf(customer);
  const withKey = await tx.query(
    `insert into projects (id, company_id, address_key, created_at) values ($1, $2, $3, $4)
     on conflict do nothing returning id`,
    [projectId, sellingCompanyId, addressKey, now],
  );
  if (withKey.length > 0) return true;
  await tx.query(
    `insert into projects (id, company_id, created_at) values ($1, $2, $3) on conflict (id) do nothing`,
    [projectId, sellingCompanyId, now],
  );
  // It may have been created without an address before.
  await tx.query(
    `update projects set address_key = $3 where id = $1 and company_id = $2 and address_key is null
       and not exists (select from projects other where other.company_id = $2 and other.address_key = $3)`,
    [projectId, sellingCompanyId, addressKey],
  );
  const [project] = await tx.query<{ company_id: string }>('select company_id from projects where id = $1', [
    projectId,
  ]);
  return project?.company_id === sellingCompanyId;
}
