import { beforeAll, expect } from '@jest/globals';
import { webhookEnvelope } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { newId } from '@partner/kernel/process/ids';
import { createLead } from '../../../testing/partner-calls.js';
import { LEAD, insertCompany } from '../../../testing/test-jobs.js';
import { readEventFeed } from '../../../webhooks/events/event-feed.js';
import { listEvents } from '../../../webhooks/events/list-events.js';
import { sent } from '../../testing/messages.js';
import { database, seller, writing } from '../../testing/platform-fixture.js';

export let otherSeller: string;
export let installer: string;

beforeAll(async () => {
  otherSeller = await insertCompany(database, 'SALES');
  installer = await insertCompany(database, 'INSTALLER');
});

export const dead = (reason: string) => ({ kind: 'dead', reason });

export async function insertProject(companyId = seller): Promise<string> {
  const projectId = newId('prj');
  await database.query('insert into projects (id, company_id) values ($1, $2)', [projectId, companyId]);
  return projectId;
}

export async function insertLead(companyId = seller): Promise<{ leadId: string; projectId: string }> {
  const address = `${newId('evt')} Main Street, Boulder, CO 80302`;
  return (await createLead(writing(), { ...LEAD, companyId, address })).result;
}

export const projectCreated = (projectId: string, sellingCompanyId = seller, version = 1) =>
  sent.projectCreated({ projectId, version, sellingCompanyId });

/** The events about a resource: receivers and the envelope fields about it. */
export async function eventsAbout(resourceId: string) {
  return (await envelopesOf(resourceId)).map(({ to, event, occurredAt, resource, data }) => {
    return { to, event, occurredAt, resource, data };
  });
}

async function envelopesOf(resourceId: string) {
  const rows = await database.query<{ to: string; body: Buffer }>(
    'select company_id as to, body from events where resource_id = $1 order by id',
    [resourceId],
  );
  return rows.map(({ to, body }) => ({ to, ...webhookEnvelope.parse(JSON.parse(body.toString('utf8'))) }));
}

/** For each event about a resource, what differs from the version before. */
export const changesOf = async (resourceId: string) =>
  (await envelopesOf(resourceId)).map(({ changed }) => changed);

/** The names of the events that a company finds by a resource, in its feed and in the console alike. */
export async function eventsFound(companyId: string, resourceId: string): Promise<readonly string[]> {
  const query = { companyId, limit: 100, resourceId };
  const feed = await readEventFeed(database, { ...query, after: '0', event: undefined });
  const listed = await listEvents(database, { ...query, beforeEventId: undefined, events: undefined });
  const found = feed.events.map(({ event }) => event);
  expect(listed.events.map(({ name }) => name)).toEqual(found.toReversed());
  return found;
}

export const emittedVersions = async (resourceId: string) =>
  (await eventsAbout(resourceId)).map(({ resource }) => resource.version);

export async function recordOf(id: string): Promise<unknown> {
  const [row] = await database.query(
    'select kind, company_id, project_id, version, state from sales_records where id = $1',
    [id],
  );
  return row;
}
