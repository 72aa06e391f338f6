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
  const { result } = await createLead(writing(), {
    ...LEAD,
    companyId,
    address: `${newId('evt')} Main Street, Boulder, CO 80302`,
  });
  return result;
}

export const projectCreated = (projectId: string, sellingCompanyId = seller, version = 1) =>
  sent.projectCreated({ projectId, version, sellingCompanyId });

/** The events about a resource: receivers and the envelope fields about it. */
export async function eventsAbout(resourceId: string) {
  const rows = await database.query<{ company_id: string; body: Buffer }>(
    'select company_id, body from events where resource_id = $1 order by id',
    [resourceId],
  );
  return rows.map(({ company_id: to, body }) => {
    const { event, occurredAt, resource, data } = webhookEnvelope.parse(JSON.parse(body.toString('utf8')));
    return { to, event, occurredAt, resource, data };
  });
}

/** For each event about a resource, what differs from the version before. */
export async function changesOf(resourceId: string) {
  const rows = await database.query<{ body: Buffer }>(
    'select body from events where resource_id = $1 order by id',
    [resourceId],
  );
  return rows.map(({ body }) => webhookEnvelope.parse(JSON.parse(body.toString('utf8'))).changed);
}

/** The names of the events that a company finds by a resource, in its feed and in the console alike. */
export async function eventsFound(companyId: string, resourceId: string): Promise<readonly string[]> {
  const feed = await readEventFeed(database, {
    companyId,
    after: '0',
    limit: 100,
    event: undefined,
    resourceId,
  });
  const listed = await listEvents(database, {
    companyId,
    beforeEventId: undefined,
    limit: 100,
    events: undefined,
    resourceId,
  });
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
