import { ProjectCreatedSchema } from '@partner/proto-contracts/gen/partner/platform/v1/sales_messages_pb';
import { z } from 'zod';
import type { Queryable } from '../../database/database.js';
import { id, instant, version } from '../message-type/message-fields.js';
import { projectObstacle, sellerObstacle } from '../message-type/obstacles.js';
import { type PlatformEffect, platformMessageType } from '../message-type/platform-message-type.js';

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
  const obstacle = await sellerObstacle(tx, sellingCompanyId);
  if (obstacle !== undefined) return obstacle;
  const made = await tx.query(
    `insert into projects (id, company_id, created_at) values ($1, $2, $3) on conflict (id) do nothing returning id`,
    [projectId, sellingCompanyId, now],
  );
  if (made.length > 0) return { kind: 'applied', appeared: [projectId] };
  return (
    (await projectObstacle(tx, projectId, sellingCompanyId)) ?? {
      kind: 'ignored',
      why: 'the project already exists',
    }
  );
}
