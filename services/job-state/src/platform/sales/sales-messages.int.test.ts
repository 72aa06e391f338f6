import { describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { FACT_CASES } from './testing/sales-facts.js';
import {
  otherSeller,
  installer,
  dead,
  insertLead,
  insertProject,
  projectCreated,
  eventsAbout,
  eventsFound,
  emittedVersions,
  recordOf,
} from './testing/sales-messages-fixture.js';
import { database, seller, handle, DONE } from '../testing/platform-fixture.js';
import { at, sent, stamp } from '../testing/messages.js';

describe('a project', () => {
  test('that the platform begins is created without an address or an event', async () => {
    const projectId = newId('prj');
    expect(await handle(projectCreated(projectId))).toEqual(DONE);
    expect(await handle(projectCreated(projectId))).toEqual(DONE);
    expect(await handle(projectCreated(projectId, seller, 2))).toEqual(DONE);
    expect(
      await database.query('select company_id, lead_id, address_key from projects where id = $1', [
        projectId,
      ]),
    ).toEqual([{ company_id: seller, lead_id: null, address_key: null }]);
    expect(await eventsAbout(projectId)).toEqual([]);
  });

  test('waits for its company, and stays with that company', async () => {
    const [projectId, companyId] = [newId('prj'), newId('cmp')];
    expect(await handle(projectCreated(projectId, companyId))).toEqual(DONE);
    expect(await database.query('select id from projects where id = $1', [projectId])).toEqual([]);
    expect(await database.query('select from inbox where prerequisite_id = $1', [companyId])).toHaveLength(1);

    await handle(projectCreated(projectId));
    expect(await handle(projectCreated(projectId, otherSeller))).toEqual(
      dead(`project ${projectId} belongs to another company`),
    );
    expect(await handle(projectCreated(newId('prj'), installer))).toEqual(
      dead(`company ${installer} is not a sales company`),
    );
  });
});

describe.each(FACT_CASES)('$event', ({ event, kind, state, newId: newResourceId, message, data }) => {
  /** A new resource of a project; a project is its own resource. */
  const resourceIdOf = (projectId: string) => (kind === 'project' ? projectId : newResourceId());

  test('is published to the company of the project, with the version and the instant of the message [PLATFORM-3]', async () => {
    const projectId = await insertProject();
    const id = resourceIdOf(projectId);
    const fact = { id, projectId, version: 3, occurredAt: stamp(-7) };
    expect(await handle(message(fact))).toEqual(DONE);
    const instant = at(-7).toISOString();
    expect(await eventsAbout(id)).toEqual([
      {
        to: seller,
        event,
        occurredAt: instant,
        resource: { type: kind, id, version: 3 },
        data: { ...data(fact, instant), leadId: null },
      },
    ]);
    expect(await recordOf(id)).toEqual({
      kind,
      company_id: seller,
      project_id: projectId,
      version: 3,
      state,
    });
  });

  test('has the lead of its project, and is found by it and by the project, by their company only [LEAD-8, EVENT-12]', async () => {
    const { leadId, projectId } = await insertLead();
    const id = resourceIdOf(projectId);
    await handle(message({ id, projectId, version: 1, occurredAt: stamp() }));
    expect(await eventsAbout(id)).toMatchObject([{ to: seller, event, data: { projectId, leadId } }]);
    for (const resourceId of [leadId, projectId]) {
      expect(await eventsFound(seller, resourceId)).toEqual([event]);
      expect(await eventsFound(otherSeller, resourceId)).toEqual([]);
      expect(await eventsFound(installer, resourceId)).toEqual([]);
    }
  });

  test('is published once for any repetition: by its message and by its version, also concurrently [PLATFORM-1]', async () => {
    const projectId = await insertProject();
    const id = resourceIdOf(projectId);
    const fact = { id, projectId, version: 2, occurredAt: stamp() };
    const same = message(fact);
    const all = [same, same, message(fact), message({ ...fact, occurredAt: stamp(1) })];
    expect(new Set((await Promise.all(all.map(handle))).map((outcome) => outcome.kind))).toEqual(
      new Set(['done']),
    );
    await handle(message({ ...fact, version: 4 }));
    await handle(message(fact));
    expect(await emittedVersions(id)).toEqual([2, 4]);
  });

  test('waits for its project and is published when that exists, in the order of the versions [PLATFORM-6]', async () => {
    const projectId = newId('prj');
    const id = resourceIdOf(projectId);
    const facts = [2, 1].map((version) => message({ id, projectId, version, occurredAt: stamp() }));
    for (const fact of facts) expect(await handle(fact)).toEqual(DONE);
    expect(await eventsAbout(id)).toEqual([]);
    expect(await database.query('select from inbox where prerequisite_id = $1', [projectId])).toHaveLength(2);
    await handle(projectCreated(projectId));
    expect(await emittedVersions(id)).toEqual([1, 2]);
    expect(await database.query('select from inbox where prerequisite_id = $1', [projectId])).toEqual([]);
  });
});

test('an appointment is found by its lead, and by the project of its event [EVENT-12, APPT-6]', async () => {
  const { leadId, projectId } = await insertLead();
  const other = await insertProject();
  const [withoutProject, ofOther] = [newId('appt'), newId('appt')];
  await handle(sent.appointmentScheduled({ leadId, appointmentId: withoutProject }));
  await handle(sent.appointmentScheduled({ leadId, appointmentId: ofOther, projectId: other }));
  expect(await eventsAbout(withoutProject)).toMatchObject([{ data: { leadId, projectId } }]);
  const booked = 'appointment.booked';
  expect(await eventsFound(seller, leadId)).toEqual([booked, booked]);
  expect(await eventsFound(seller, projectId)).toEqual([booked]);
  expect(await eventsFound(seller, other)).toEqual([booked]);
});

test("a resource that is known as one project's is refused for another, without an event [PLATFORM-5]", async () => {
  const [projectId, sibling, foreign] = [
    await insertProject(),
    await insertProject(),
    await insertProject(otherSeller),
  ];
  for (const { event, kind, newId: newResourceId, message } of FACT_CASES) {
    if (kind === 'project') continue;
    const id = newResourceId();
    const fact = { id, projectId, version: 1, occurredAt: stamp() };
    await handle(message(fact));
    for (const other of [sibling, foreign]) {
      const outcome = await handle(message({ ...fact, version: 2, projectId: other }));
      expect([event, outcome]).toEqual([
        event,
        dead(`${kind} ${id} belongs to another project than ${other}`),
      ]);
    }
    expect(await eventsAbout(id)).toHaveLength(1);
  }
});

test('the greatest version that a message can have is published', async () => {
  const projectId = await insertProject();
  const quoteId = newId('quo');
  const version = 2_147_483_647;
  const total = { amountMinor: '9000000000000000', currency: 'USD' };
  await handle(sent.quoteSent({ quoteId, projectId, version, total }));
  expect(await eventsAbout(quoteId)).toMatchObject([
    { resource: { version }, data: { total: { amountMinor: 9_000_000_000_000_000 } } },
  ]);
});
