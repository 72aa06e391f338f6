import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from '@jest/globals';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { newId } from '@partner/kernel/process/ids';
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
import { at, MONEY, sent, stamp } from '../testing/messages.js';

describe('a project', () => {
  test('that the platform begins is created without an address or an event', async () => {
    const projectId = newId('prj');
    expect(await handle(projectCreated(projectId))).toEqual(DONE);
    expect(await handle(projectCreated(projectId))).toEqual(DONE);
    expect(await handle(projectCreated(projectId, seller, 2))).toEqual(DONE);
    const projects = 'select company_id, lead_id, address_key from projects where id = $1';
    const stored = { company_id: seller, lead_id: null, address_key: null };
    expect(await database.query(projects, [projectId])).toEqual([stored]);
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

const IN_EVENT = { amountMinor: Number(MONEY.amountMinor), currency: 'USD' };
const PREFIXES = { quote: 'quo', project: 'prj', deposit: 'dep', invoice: 'inv', rebate: 'reb' } as const;
type Kind = keyof typeof PREFIXES;
type Fields = {
  readonly projectId: string;
  readonly version?: number;
  readonly occurredAt?: Timestamp;
} & Partial<Record<'quoteId' | 'depositId' | 'invoiceId' | 'rebateId', string>>;

const accepted = (acceptedAt: string) => ({ optionName: 'Complete', total: IN_EVENT, acceptedAt });
const stages = { previousStage: 'DESIGN', stage: 'PERMITTING' };
const refunded = (refundedAt: string) => ({ amount: IN_EVENT, refundedAt });
const dueAt = at(60).toISOString();
const issued = (issuedAt: string) => ({ invoiceNumber: 'INV-7', total: IN_EVENT, issuedAt, dueAt });
const rebate = { programme: 'State rebate', previousStatus: null, status: 'APPROVED' };

/** Every fact: its kind of resource, event, stored state and message, and what its event has besides ids, at an instant. */
const FACTS: readonly (readonly [
  Kind,
  string,
  string,
  (fields: Fields) => IncomingMessage,
  (at: string) => object,
])[] = [
  ['quote', 'quote.sent', 'SENT', sent.quoteSent, () => ({ total: IN_EVENT, validUntil: null })],
  ['quote', 'quote.viewed', 'VIEWED', sent.quoteViewed, (viewedAt) => ({ viewedAt })],
  ['quote', 'quote.accepted', 'ACCEPTED', sent.quoteAccepted, accepted],
  ['project', 'project.stage_changed', 'PERMITTING', sent.projectStageChanged, () => stages],
  ['project', 'project.completed', 'COMPLETED', sent.projectCompleted, (completedAt) => ({ completedAt })],
  ['deposit', 'deposit.paid', 'PAID', sent.depositPaid, (paidAt) => ({ amount: IN_EVENT, paidAt })],
  ['deposit', 'deposit.refunded', 'REFUNDED', sent.depositRefunded, refunded],
  ['invoice', 'invoice.issued', 'ISSUED', sent.invoiceIssued, issued],
  ['rebate', 'rebate.status_changed', 'APPROVED', sent.rebateStatusChanged, () => rebate],
];

const idsOf = (kind: Kind, id: string, projectId: string) => ({
  projectId,
  ...(kind !== 'project' && { [`${kind}Id`]: id }),
});
/** A new resource of a project; a project is its own resource. */
const newIdOf = (kind: Kind, projectId: string) => (kind === 'project' ? projectId : newId(PREFIXES[kind]));

describe.each(FACTS)('a fact about a %s: %s', (kind, event, state, message, data) => {
  const fact = (id: string, projectId: string, version: number, minutes = 0) =>
    message({ ...idsOf(kind, id, projectId), version, occurredAt: stamp(minutes) });

  test('is published to the company of the project, with the version and the instant of the message [PLATFORM-3]', async () => {
    const projectId = await insertProject();
    const id = newIdOf(kind, projectId);
    expect(await handle(fact(id, projectId, 3, -7))).toEqual(DONE);
    const instant = at(-7).toISOString();
    expect(await eventsAbout(id)).toEqual([
      {
        to: seller,
        event,
        occurredAt: instant,
        resource: { type: kind, id, version: 3 },
        data: { ...idsOf(kind, id, projectId), ...data(instant), leadId: null },
      },
    ]);
    const record = { kind, company_id: seller, project_id: projectId, version: 3, state };
    expect(await recordOf(id)).toEqual(record);
  });

  test('has the lead of its project, and is found by it and by the project, by their company only [LEAD-8, EVENT-12]', async () => {
    const { leadId, projectId } = await insertLead();
    const id = newIdOf(kind, projectId);
    await handle(fact(id, projectId, 1));
    expect(await eventsAbout(id)).toMatchObject([{ to: seller, event, data: { projectId, leadId } }]);
    for (const resourceId of [leadId, projectId]) {
      expect(await eventsFound(seller, resourceId)).toEqual([event]);
      expect(await eventsFound(otherSeller, resourceId)).toEqual([]);
      expect(await eventsFound(installer, resourceId)).toEqual([]);
    }
  });

  test('is published once for any repetition: by its message and by its version, also concurrently [PLATFORM-1]', async () => {
    const projectId = await insertProject();
    const id = newIdOf(kind, projectId);
    const same = fact(id, projectId, 2);
    const all = [same, same, fact(id, projectId, 2), fact(id, projectId, 2, 1)];
    expect(await Promise.all(all.map(handle))).toEqual(all.map(() => DONE));
    await handle(fact(id, projectId, 4));
    await handle(fact(id, projectId, 2));
    expect(await emittedVersions(id)).toEqual([2, 4]);
  });

  test('waits for its project and is published when that exists, in the order of the versions [PLATFORM-6]', async () => {
    const projectId = newId('prj');
    const id = newIdOf(kind, projectId);
    for (const version of [2, 1]) expect(await handle(fact(id, projectId, version))).toEqual(DONE);
    expect(await eventsAbout(id)).toEqual([]);
    const waiting = () => database.query('select from inbox where prerequisite_id = $1', [projectId]);
    expect(await waiting()).toHaveLength(2);
    await handle(projectCreated(projectId));
    expect(await emittedVersions(id)).toEqual([1, 2]);
    expect(await waiting()).toEqual([]);
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
  const [projectId, sibling] = [await insertProject(), await insertProject()];
  const foreign = await insertProject(otherSeller);
  for (const [kind, event, , message] of FACTS) {
    if (kind === 'project') continue;
    const id = newIdOf(kind, projectId);
    await handle(message(idsOf(kind, id, projectId)));
    for (const other of [sibling, foreign]) {
      const outcome = await handle(message({ ...idsOf(kind, id, other), version: 2 }));
      const refusal = dead(`${kind} ${id} belongs to another project than ${other}`);
      expect([event, outcome]).toEqual([event, refusal]);
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
