import { eventually } from '@partner/test-kit/eventually';
import type { Pool } from 'pg';
import { z } from 'zod';
import type { TestStack } from '../support/test-stack.js';
import type { Platform } from './platform.js';
import type { World } from './world.js';

/** Longer than the lease of a delivery whose command died with the process that made it. */
const SETTLE_MS = 180_000;

const jobRow = z.object({
  id: z.string(),
  version: z.int(),
  status: z.string(),
  installer_company_id: z.string().nullable(),
  projection: z.string().nullable(),
  installer_note: z.string().nullable(),
});
const statusEventRow = z.object({
  job_id: z.string(),
  version: z.int(),
  company_id: z.string(),
  previous_status: z.string(),
  status: z.string(),
  occurred_at: z.date(),
  note: z.string().nullable(),
  blocker_code: z.string().nullable(),
});
const feedRow = z.object({
  company_id: z.string(),
  sequence: z.coerce.number(),
  job_id: z.string(),
  resource: z.string(),
});
const feedHeadRow = z.object({ company_id: z.string(), last: z.coerce.number() });
const eventRow = z.object({
  id: z.string(),
  company_id: z.string(),
  name: z.string(),
  resource_id: z.string(),
  resource_version: z.int(),
  body: z.instanceof(Buffer).transform((body) => body.toString('utf8')),
});
const deliveryRow = z.object({
  id: z.string(),
  subscription_id: z.string(),
  event_id: z.string(),
  is_test: z.boolean(),
  state: z.string(),
});
const leadRow = z.object({
  id: z.string(),
  company_id: z.string(),
  project_id: z.string().nullable(),
  full_name: z.string(),
  address: z.string(),
});
const submissionRow = z.object({ lead_id: z.string(), full_name: z.string() });
const appointmentRow = z.object({
  id: z.string(),
  company_id: z.string(),
  lead_id: z.string(),
  project_id: z.string().nullable(),
  starts_at: z.date(),
  ends_at: z.date(),
  notes: z.string().nullable(),
});

/** What the database holds of a run's companies when everything has come to rest. */
export interface FinalState {
  readonly jobs: readonly z.infer<typeof jobRow>[];
  readonly statusEvents: readonly z.infer<typeof statusEventRow>[];
  readonly feed: readonly z.infer<typeof feedRow>[];
  readonly feedHeads: readonly z.infer<typeof feedHeadRow>[];
  readonly events: readonly z.infer<typeof eventRow>[];
  readonly deliveries: readonly z.infer<typeof deliveryRow>[];
  readonly leads: readonly z.infer<typeof leadRow>[];
  readonly submissions: readonly z.infer<typeof submissionRow>[];
  readonly appointments: readonly z.infer<typeof appointmentRow>[];
}

/** Resolves once the service has recorded messages of the platform, whatever became of them. */
export async function messagesAreSettled(
  database: Pick<Pool, 'query'>,
  messageIds: readonly string[],
): Promise<void> {
  await eventually(
    'the service has dealt with all messages of the platform',
    async () => {
      const found = await database.query('select 1 from inbox where message_id = any($1)', [messageIds]);
      return found.rowCount === messageIds.length;
    },
    { timeoutMs: SETTLE_MS },
  );
}

/**
 * Waits until every message to the platform is out and heard and every delivery is finished, or for three minutes, then reads it all.
 */
export async function readFinalState(
  {
    stack,
    platform,
  }: { readonly stack: Pick<TestStack, 'database'>; readonly platform: Pick<Platform, 'hearAll'> },
  world: Pick<World, 'companies' | 'jobs'>,
): Promise<FinalState> {
  const { database } = stack;
  const companies = world.companies.map(({ id }) => id);
  const isAtRest = async () => {
    const found = await database.query(
      `select 1 from outbox union all select 1 from deliveries where company_id = any($1) limit 1`,
      [companies],
    );
    return found.rowCount === 0;
  };
  // What does not come to rest is a fault, which the checks of deliveries and messages describe better.
  await eventually('nothing is under way', isAtRest, { timeoutMs: SETTLE_MS }).catch(() => undefined);
  await platform.hearAll();

  async function rows<Row>(schema: z.ZodType<Row>, text: string): Promise<Row[]> {
    const found = await database.query(text, [companies]);
    return z.array(schema).parse(found.rows);
  }
  return {
    jobs: await rows(
      jobRow,
      `select id, version, status, installer_company_id, projection, installer_note from jobs
       where selling_company_id = any($1)`,
    ),
    statusEvents: await rows(
      statusEventRow,
      `select event.* from job_status_events as event join jobs on jobs.id = event.job_id
       where jobs.selling_company_id = any($1) order by event.job_id, event.version`,
    ),
    feed: await rows(
      feedRow,
      `select company_id, sequence, job_id, resource from feed_entries where company_id = any($1)
       order by company_id, sequence`,
    ),
    feedHeads: await rows(feedHeadRow, 'select company_id, last from feed_heads where company_id = any($1)'),
    events: await rows(
      eventRow,
      `select id, company_id, name, resource_id, resource_version, body from events where company_id = any($1)`,
    ),
    deliveries: await rows(
      deliveryRow,
      'select id, subscription_id, event_id, is_test, state from all_deliveries where company_id = any($1)',
    ),
    leads: await rows(
      leadRow,
      `select leads.id, leads.company_id, projects.id as project_id, full_name, address from leads
       left join projects on projects.lead_id = leads.id where leads.company_id = any($1)`,
    ),
    submissions: await rows(
      submissionRow,
      `select lead_id, submission.full_name from lead_submissions as submission
       join leads on leads.id = submission.lead_id where leads.company_id = any($1)`,
    ),
    appointments: await rows(
      appointmentRow,
      `select id, company_id, lead_id, project_id, starts_at, ends_at, notes from appointments
       where company_id = any($1)`,
    ),
  };
}
