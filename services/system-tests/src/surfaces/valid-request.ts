import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import { newId } from '@partner/kernel/process/ids';
import type { TestStack } from '../support/test-stack.js';
import type { WireRequest } from './send.js';
import { isOnJob, kindFor } from './surface-operations.js';
import type { SurfaceSide } from './surface-side.js';

/** A request that the service responds with success, with its parts apart so that a test can spoil one. */
export type ValidRequest = WireRequest & {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Body;
};

type Body = Readonly<Record<string, unknown>>;

/**
 * Makes a request of an operation that is valid at this moment and has not been sent before: new idempotency key, the
 * present version of the job, a status that the job may take. With `job` the request is as if the job were in that state. Throws
 * for an operation that it does not know.
 */
export async function validRequest(
  stack: Pick<TestStack, 'database'>,
  side: SurfaceSide,
  operation: AnyOperation,
  job?: JobState,
): Promise<ValidRequest> {
  const body = await bodyFor(side, operation, async () => job ?? readJob(stack, side.jobId));
  const isOnOther = operation.path.includes(':id') && !isOnJob(operation);
  const id = isOnOther ? await webhookThing(stack, side, operation) : side.jobId;
  return {
    method: operation.method.toUpperCase(),
    path: operation.path.replace(':id', id),
    headers: {
      'x-api-key': side.keys[kindFor(operation)],
      ...(operation.idempotencyKey === undefined ? {} : { 'idempotency-key': newId('evt') }),
    },
    ...(body === undefined ? {} : { body }),
  };
}

async function bodyFor(
  side: SurfaceSide,
  operation: AnyOperation,
  readPresentJob: () => Promise<JobState>,
): Promise<Body | undefined> {
  if (operation.body === undefined) return undefined;
  switch (operation.id) {
    case 'previewInboundEventReplay':
    case 'previewInstallerEventReplay':
    case 'replayInboundEvents':
    case 'replayInstallerEvents':
      return { from: '2026-09-02T15:00:00Z', to: '2026-09-02T16:00:00Z' };
    case 'createLead':
      return {
        fullName: 'Ada Quill',
        email: 'ada@example.com',
        phone: '+1 512 555 0100',
        address: `${newId('evt')} Main Street, Austin, TX 78701`,
      };
    case 'bookAppointment':
      return {
        leadId: side.leadId,
        startsAt: '2026-09-02T15:00:00Z',
        endsAt: '2026-09-02T16:00:00Z',
        idempotencyKey: newId('evt'),
      };
    case 'appendJobNote':
      return { note: 'Gate code 4711' };
    case 'recordStatusEvent': {
      const { status, version } = await readPresentJob();
      const move = ['ASSIGNED', 'BLOCKED'].includes(status)
        ? { status: 'ACKNOWLEDGED' }
        : { status: 'BLOCKED', blockerCode: 'WEATHER' };
      return { ...move, occurredAt: new Date().toISOString(), expectedVersion: version };
    }
    case 'setSchedule': {
      const { version } = await readPresentJob();
      const day = String((version % 28) + 1).padStart(2, '0');
      return {
        status: 'TENTATIVE',
        startsAt: `2026-10-${day}T15:00:00Z`,
        endsAt: `2026-10-${day}T19:00:00Z`,
        timeZone: 'America/Chicago',
        expectedVersion: version,
      };
    }
    case 'replaceAssignments': {
      const { version } = await readPresentJob();
      return {
        membershipIds: [side.technicianIds[version % 20], side.technicianIds[20]],
        expectedVersion: version,
      };
    }
    default:
      throw new Error(`say here what a valid request of ${operation.id} is`);
  }
}

/** The id of a new webhook or replay of events, if the operation is about one. */
async function webhookThing(
  { database }: Pick<TestStack, 'database'>,
  { installerId, sellerId }: SurfaceSide,
  operation: AnyOperation,
): Promise<string> {
  const [webhookId, replayId] = [newId('whk'), newId('rpl')];
  await database.query(
    `with s as (
       insert into subscriptions (id, company_id, url, events, state, schema_version, paused_at)
       values ($1, $2, 'https://paused.test/', '{}', 'paused', 1, now()) returning *
     )
     insert into bulk_replays (id, subscription_id, company_id, kind, from_time, to_time, per_minute, total)
     select $3, id, company_id, 'events', now(), now(), 1, 0 from s`,
    [webhookId, kindFor(operation) === 'installer-company' ? installerId : sellerId, replayId],
  );
  return operation.path.includes('/replays/') ? replayId : webhookId;
}

/** How a job is, as far as a write can change it. */
export interface JobState {
  readonly status: string;
  readonly version: number;
  readonly installer_note: string | null;
}

/** The status and version that a job has at this moment. */
export async function readJob(stack: Pick<TestStack, 'database'>, jobId: string): Promise<JobState> {
  const found = await stack.database.query<JobState>(
    'select status, version, installer_note from jobs where id = $1',
    [jobId],
  );
  const [job] = found.rows;
  if (job === undefined) throw new Error(`there is no job ${jobId}`);
  return job;
}
