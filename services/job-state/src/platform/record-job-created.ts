import type { Queryable } from '../database/database.js';
import { normaliseAddress } from '../leads/normalise-address.js';
import type { PlatformEffect } from './platform-effect.js';
import type { JobCreatedCommand } from './platform-messages.js';

/**
 * Records a job that the platform has created, at version 1 and not assigned to anybody, and its project when the platform
 * names one: leads for the same address merge into it. A job that is already there stays as it is.
 */
export async function recordJobCreated(
  tx: Queryable,
  command: JobCreatedCommand,
  now: Date,
): Promise<PlatformEffect> {
  const { customer, sellingCompanyId } = command;
  const [company] = await tx.query<{ class: string }>('select class from companies where id = $1', [
    sellingCompanyId,
  ]);
  if (company === undefined) return { kind: 'early', missing: `company ${sellingCompanyId}` };
  if (company.class !== 'SALES')
    return { kind: 'refused', reason: `company ${sellingCompanyId} is not a sales company` };

  const created = await tx.query(
    `insert into jobs (id, selling_company_id, project_id, work_order_no, version, status, customer, scope, created_at,
       updated_at, last_updated_at)
     values ($1, $2, $3, $4, 1, 'ASSIGNED', $5, $6, $7, $8, $8)
     on conflict (id) do nothing returning id`,
    [
      command.jobId,
      sellingCompanyId,
      command.projectId ?? null,
      command.workOrderNo,
      JSON.stringify(customer),
      JSON.stringify(command.scope),
      command.occurredAt,
      now,
    ],
  );
  if (created.length === 0) return { kind: 'ignored', why: 'the job is there already' };
  if (command.projectId !== undefined) {
    const address = `${customer.line1}, ${customer.city}, ${customer.state} ${customer.zip}`;
    await tx.query(
      `insert into projects (id, company_id, address_key, created_at) values ($1, $2, $3, $4) on conflict do nothing`,
      [command.projectId, sellingCompanyId, normaliseAddress(address), now],
    );
  }
  return { kind: 'applied' };
}
