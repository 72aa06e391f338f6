import { ProjectCreatedSchema } from '@partner/proto-contracts/gen/partner/platform/v1/sales_messages_pb';
import { z } from 'zod';
import type { Queryable } from '../../database/database.js';
import { id, instant, version } from '../message-fields.js';
import type { PlatformEffect } from '../platform-effect.js';
import { platformMessageType } from '../platform-message-type.js';

const projectCreated = z.object({
  projectId: id('prj'),
  version,
  sellingCompanyId: id('cmp'),
  occurredAt: instant,
});

export const projectCreatedMessage = platformMessageType({
  schema: ProjectCreatedSchema,
  form: projectCreated,
  resourceId: ({ projectId }) => projectId,
  record: recordProjectCreated,
});

/**
 * Creates a project that the platform has begun, without an address.
 *
 * No lead merges into it before a job sets its address. An existing project stays unchanged; one of another company is refused.
 * No event is emitted.
 */
async function recordProjectCreated(
  tx: Queryable,
  { projectId, sellingCompanyId }: z.infer<typeof projectCreated>,
  now: Date,
): Promise<PlatformEffect> {
  const [company] = await tx.query<{ class: string }>('select class from companies where id = $1', [
    sellingCompanyId,
  ]);
  if (company === undefined) return { kind: 'early', missing: sellingCompanyId };
  if (company.class !== 'SALES') {
    return { kind: 'refused', reason: `company ${sellingCompanyId} is not a sales company` };
  }
  const made = await tx.query(
    `insert into projects (id, company_id, created_at) values ($1, $2, $3) on conflict (id) do nothing returning id`,
    [projectId, sellingCompanyId, now],
  );
  if (made.length > 0) return { kind: 'applied', appeared: [projectId] };
  const [known] = await tx.query<{ company_id: string }>('select company_id from projects where id = $1', [
    projectId,
  ]);
  return known?.company_id === sellingCompanyId
    ? { kind: 'ignored', why: 'the project is there already' }
    : { kind: 'refused', reason: `project ${projectId} belongs to another company` };
}
