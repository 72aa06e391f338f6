import { JobCreatedSchema } from '@partner/proto-contracts/gen/partner/platform/v1/job_messages_pb';
import { z } from 'zod';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Queryable } from '../database/database.js';
import { normaliseAddress } from '../leads/address-key/normalise-address.js';
import {
  CODE_LENGTH,
  count,
  id,
  instant,
  list,
  NAME_LENGTH,
  optionalText,
  text,
  TEXT_LENGTH,
  version,
} from './message-type/message-fields.js';
import { projectObstacle, sellerObstacle } from './message-type/obstacles.js';
import { type PlatformEffect, platformMessageType } from './message-type/platform-message-type.js';

const PHONE_LENGTH = 40;

const scopeItem = z.object({
  name: text(TEXT_LENGTH),
  model: optionalText(TEXT_LENGTH),
  quantity: count,
});

export const scope = z.object(
  {
    packageName: text(TEXT_LENGTH),
    systemType: text(TEXT_LENGTH),
    equipment: list(scopeItem),
    accessories: list(scopeItem),
    supplierSources: list(z.object({ name: text(TEXT_LENGTH), reference: optionalText(TEXT_LENGTH) })),
    scopeVersion: count,
  },
  'is missing',
);

export const aboutJob = { jobId: id('job'), version, occurredAt: instant };

const jobCreated = z.object({
  ...aboutJob,
  version: version.refine((value) => value === 1, 'is not 1'),
  sellingCompanyId: id('cmp'),
  projectId: id('prj').optional(),
  workOrderNo: optionalText(CODE_LENGTH),
  customer: z.object(
    {
      name: text(NAME_LENGTH),
      phone: text(PHONE_LENGTH),
      line1: text(TEXT_LENGTH),
      city: text(TEXT_LENGTH),
      state: text(TEXT_LENGTH),
      zip: text(TEXT_LENGTH),
    },
    'is missing',
  ),
  scope,
});

type JobCreatedCommand = z.infer<typeof jobCreated>;

/** A job that a sales company has sold. It also locks its project and the address of that. */
export const jobCreatedMessage = platformMessageType({
  schema: JobCreatedSchema,
  form: jobCreated,
  resourceId: ({ jobId }) => jobId,
  creates: ({ projectId, sellingCompanyId, customer }) =>
    projectId === undefined ? [] : [projectId, `${sellingCompanyId} ${addressKeyOf(customer)}`],
  record: recordJobCreated,
});

const READ_SELLER: PreparedStatement = {
  name: 'read-seller-of-job',
  text: 'select selling_company_id from jobs where id = $1',
};

/**
 * Records a job that the platform created, at version 1 and unassigned, and its project if the message names one.
 *
 * Leads for the same address merge into the project, unless another project already has the address. An existing job stays
 * unchanged; a job or project of another company is refused. Locks: the project.
 */
async function recordJobCreated(
  tx: Queryable,
  command: JobCreatedCommand,
  now: Date,
): Promise<PlatformEffect> {
  const { jobId, customer, sellingCompanyId, projectId } = command;
  const obstacle = await sellerObstacle(tx, sellingCompanyId);
  if (obstacle !== undefined) return obstacle;
  const [known] = await tx.query<{ selling_company_id: string }>(READ_SELLER, [jobId]);
  if (known !== undefined) {
    return known.selling_company_id === sellingCompanyId
      ? { kind: 'ignored', why: 'the job already exists' }
      : { kind: 'refused', reason: `job ${jobId} belongs to another company` };
  }
  const foreign =
    projectId === undefined ? undefined : await ensureProject(tx, { ...command, projectId }, now);
  if (foreign !== undefined) return foreign;
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

function addressKeyOf({ line1, city, state, zip }: JobCreatedCommand['customer']): string {
  return normaliseAddress(`${line1}, ${city}, ${state} ${zip}`);
}

/**
 * Creates the project unless it exists; returns an obstacle if it is another company's.
 *
 * A project without an address gets the address's key, unless another project of the company has it. With an obstacle nothing is
 * created.
 */
async function ensureProject(
  tx: Queryable,
  command: JobCreatedCommand & { readonly projectId: string },
  now: Date,
): ReturnType<typeof projectObstacle> {
  const { projectId, sellingCompanyId, customer } = command;
  const addressKey = addressKeyOf(customer);
  const withKey = await tx.query(
    `insert into projects (id, company_id, address_key, created_at) values ($1, $2, $3, $4)
     on conflict do nothing returning id`,
    [projectId, sellingCompanyId, addressKey, now],
  );
  if (withKey.length > 0) return undefined;
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
  return projectObstacle(tx, projectId, sellingCompanyId);
}
