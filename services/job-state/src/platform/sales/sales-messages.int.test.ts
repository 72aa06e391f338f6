import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  AppointmentScheduledSchema,
  JournalEntryRecordedSchema,
  ProjectCreatedSchema,
  QuoteSentSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import { webhookEnvelope } from '@partner/proto-contracts/events/webhook-events';
import { newId } from '@partner/kernel/ids';
import { silentLogger } from '@partner/kernel/logger';
import { Registry } from 'prom-client';
import { bookAppointment } from '../../appointments/book-appointment.js';
import type { Database } from '../../database/database.js';
import { createLead } from '../../leads/create-lead.js';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.js';
import { binding, insertCompany, TEST_NOW } from '../../testing/test-jobs.js';
import { createPlatformMessageHandler } from '../handle-platform-message.js';
import { FACT_CASES } from './testing/sales-facts.js';
import { salesMessage } from './testing/sales-message.js';

let testDatabase: TestDatabase;
let database: Database;
let seller: string;
let otherSeller: string;
let installer: string;
let handle: ReturnType<typeof createPlatformMessageHandler>;

const deps = () => ({ database, clock: () => TEST_NOW, logger: silentLogger });

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  ({ database } = testDatabase);
  seller = await insertCompany(database, 'SALES');
  otherSeller = await insertCompany(database, 'SALES');
  installer = await insertCompany(database, 'INSTALLER');
  handle = createPlatformMessageHandler({ ...deps(), metrics: new Registry() });
});

afterAll(() => testDatabase.drop());

const DONE = { kind: 'done' };
const dead = (reason: string) => ({ kind: 'dead', reason });
const at = (minutes: number) => new Date(TEST_NOW.getTime() + minutes * 60_000);
const stamp = (minutes = 0) => timestampFromDate(at(minutes));

async function insertProject(companyId = seller): Promise<string> {
  const projectId = newId('prj');
  await database.query('insert into projects (id, company_id) values ($1, $2)', [projectId, companyId]);
  return projectId;
}

async function insertLead(companyId = seller): Promise<{ leadId: string; projectId: string }> {
  const { result } = await createLead(deps(), {
    companyId,
    binding: undefined,
    fullName: 'Jordan Ellis',
    email: 'jordan@customers.example',
    phone: '+1 555 0100',
    address: `${newId('evt')} Main Street, Boulder, CO 80302`,
    smsConsent: null,
    timeoutMs: undefined,
  });
  return result;
}

const projectCreated = (projectId: string, sellingCompanyId = seller, version = 1) =>
  salesMessage(ProjectCreatedSchema, { projectId, version, sellingCompanyId, occurredAt: stamp() });

/** The events about a resource: receivers and the envelope fields about it. */
async function eventsAbout(resourceId: string) {
  const rows = await database.query<{ company_id: string; body: Buffer }>(
    'select company_id, body from events where resource_id = $1 order by id',
    [resourceId],
  );
  return rows.map(({ company_id: to, body }) => {
    const { event, occurredAt, resource, data } = webhookEnvelope.parse(JSON.parse(body.toString('utf8')));
    return { to, event, occurredAt, resource, data };
  });
}

const emittedVersions = async (resourceId: string) =>
  (await eventsAbout(resourceId)).map(({ resource }) => resource.version);

async function recordOf(id: string): Promise<unknown> {
  const [row] = await database.query(
    'select kind, company_id, project_id, version, state from sales_records where id = $1',
    [id],
  );
  return row;
}

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
        data: data(fact, instant),
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

  test('that is late is published too, and the stored state stays [PLATFORM-3]', async () => {
    const projectId = await insertProject();
    const id = resourceIdOf(projectId);
    const fact = { id, projectId, version: 5, occurredAt: stamp() };
    for (const version of [5, 3, 4]) await handle(message({ ...fact, version }));
    expect(await emittedVersions(id)).toEqual([5, 3, 4]);
    expect(await recordOf(id)).toMatchObject({ version: 5, state });
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
  await handle(salesMessage(QuoteSentSchema, { quoteId, projectId, version, total, occurredAt: stamp() }));
  expect(await eventsAbout(quoteId)).toMatchObject([
    { resource: { version }, data: { total: { amountMinor: 9_000_000_000_000_000 } } },
  ]);
});

describe('appointment.booked', () => {
  const scheduled = (given: {
    readonly appointmentId: string;
    readonly leadId: string;
    readonly version?: number;
    readonly projectId?: string;
    readonly notes?: string;
    /** Hours after the standard start. */
    readonly later?: number;
  }) => {
    const { version = 1, later = 0, ...rest } = given;
    return salesMessage(AppointmentScheduledSchema, {
      ...rest,
      version,
      startsAt: timestampFromDate(hours(later)),
      endsAt: timestampFromDate(hours(later + 1)),
      occurredAt: stamp(version),
    });
  };
  const hours = (later: number) => new Date(Date.UTC(2026, 9, 5, 15 + later));
  const appointmentOf = async (id: string) =>
    (
      await database.query(
        'select company_id, lead_id, project_id, starts_at, ends_at, notes, version from appointments where id = $1',
        [id],
      )
    )[0];

  test('is published for an appointment that the platform creates', async () => {
    const { leadId, projectId } = await insertLead();
    const appointmentId = newId('appt');
    expect(await handle(scheduled({ appointmentId, leadId, projectId, notes: 'Ring twice' }))).toEqual(DONE);
    expect(await eventsAbout(appointmentId)).toEqual([
      {
        to: seller,
        event: 'appointment.booked',
        occurredAt: at(1).toISOString(),
        resource: { type: 'appointment', id: appointmentId, version: 1 },
        data: {
          appointmentId,
          leadId,
          projectId,
          startsAt: hours(0).toISOString(),
          endsAt: hours(1).toISOString(),
          notes: 'Ring twice',
        },
      },
    ]);
    expect(await appointmentOf(appointmentId)).toEqual({
      company_id: seller,
      lead_id: leadId,
      project_id: projectId,
      starts_at: hours(0),
      ends_at: hours(1),
      notes: 'Ring twice',
      version: 1,
    });
  });

  test('is published for the move of one that a partner has booked: the move is its version 2, after version 1', async () => {
    const { leadId, projectId } = await insertLead();
    const { appointmentId } = await bookAppointment(deps(), {
      companyId: seller,
      binding: binding(newId('evt')),
      leadId,
      projectId: null,
      startsAt: hours(0),
      endsAt: hours(1),
      notes: 'Gate code 4711',
      timeoutMs: undefined,
    });
    await handle(scheduled({ appointmentId, leadId, version: 1, later: 9 }));
    expect(await emittedVersions(appointmentId)).toEqual([1]);
    await handle(scheduled({ appointmentId, leadId, projectId, version: 2, later: 3 }));
    expect(await emittedVersions(appointmentId)).toEqual([1, 2]);
    expect(await eventsAbout(appointmentId)).toMatchObject([
      {},
      { to: seller, data: { projectId, startsAt: hours(3).toISOString(), notes: 'Gate code 4711' } },
    ]);
    expect(await appointmentOf(appointmentId)).toMatchObject({
      starts_at: hours(3),
      ends_at: hours(4),
      project_id: projectId,
      notes: 'Gate code 4711',
      version: 2,
    });
  });

  test('is published for each version once in any order; times and notes are those of the newest [PLATFORM-3, PLATFORM-5]', async () => {
    const { leadId } = await insertLead();
    const versions = [
      { version: 1, later: 1, notes: 'first' },
      { version: 2, later: 2, notes: 'second' },
      { version: 3, later: 3 },
    ];
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [2, 0, 1],
      [1, 2, 0],
    ]) {
      const appointmentId = newId('appt');
      const messages = order.flatMap((place) => versions[place] ?? []);
      for (const version of [...messages, ...messages])
        expect(await handle(scheduled({ appointmentId, leadId, ...version }))).toEqual(DONE);
      expect(await emittedVersions(appointmentId)).toEqual(messages.map(({ version }) => version));
      expect(await appointmentOf(appointmentId)).toMatchObject({
        starts_at: hours(3),
        notes: 'second',
        version: 3,
      });
    }
  });

  test('for a late version without notes has none of a newer one [PLATFORM-5]', async () => {
    const { leadId } = await insertLead();
    const appointmentId = newId('appt');
    for (const version of [{ version: 4, notes: 'newer' }, { version: 2 }, { version: 5 }]) {
      await handle(scheduled({ appointmentId, leadId, ...version }));
    }
    expect((await eventsAbout(appointmentId)).map(({ data }) => data)).toMatchObject([
      { notes: 'newer' },
      { notes: null },
      { notes: 'newer' },
    ]);
    expect(await appointmentOf(appointmentId)).toMatchObject({ notes: 'newer', version: 5 });
  });

  test('waits for its lead, then for its project [PLATFORM-6]', async () => {
    const appointmentId = newId('appt');
    const [leadId, projectId] = [newId('lead'), newId('prj')];
    const message = scheduled({ appointmentId, leadId, projectId });
    expect(await handle(message)).toEqual(DONE);
    expect(await database.query('select from inbox where prerequisite_id = $1', [leadId])).toHaveLength(1);
    await database.query(
      `insert into leads (id, company_id, full_name, email, phone, address) values ($1, $2, 'n', 'e', 'p', 'a')`,
      [leadId, seller],
    );
    expect(await handle(scheduled({ appointmentId, leadId, projectId }))).toEqual(DONE);
    expect(await database.query('select from inbox where prerequisite_id = $1', [projectId])).toHaveLength(1);
    await handle(projectCreated(projectId));
    expect(await emittedVersions(appointmentId)).toEqual([1]);
  });

  test('is refused with another lead than before and with a project of another company [PLATFORM-5]', async () => {
    const { leadId } = await insertLead();
    const [sibling, foreign] = [await insertLead(), await insertLead(otherSeller)];
    const appointmentId = newId('appt');
    await handle(scheduled({ appointmentId, leadId }));
    for (const other of [sibling.leadId, foreign.leadId]) {
      expect(await handle(scheduled({ appointmentId, leadId: other, version: 2 }))).toEqual(
        dead(`appointment ${appointmentId} is with another lead than ${other}`),
      );
    }
    const { projectId } = foreign;
    expect(await handle(scheduled({ appointmentId, leadId, projectId, version: 2 }))).toEqual(
      dead(`project ${projectId} belongs to another company`),
    );
    expect(await emittedVersions(appointmentId)).toEqual([1]);
  });
});

describe('an entry of the journal', () => {
  const amount = { amountMinor: '250000', currency: 'USD' };
  const amountInEvent = { amountMinor: 250_000, currency: 'USD' };
  const depositId = newId('dep');
  const invoice = { invoiceId: newId('inv'), invoiceNumber: 'INV-7' };
  const payout = { payoutId: newId('pay'), payeeCompanyId: newId('cmp') };
  const adjustment = { adjustsEntryId: newId('jrn'), reasonCode: 'WRITE_OFF' };
  const RECORDS = [
    [
      'journal.deposit_recorded',
      { case: 'deposit', value: { depositId, amount } },
      { depositId, amount: amountInEvent },
    ],
    [
      'journal.invoice_recorded',
      { case: 'invoice', value: { ...invoice, amount } },
      { ...invoice, amount: amountInEvent },
    ],
    [
      'journal.payout_recorded',
      { case: 'payout', value: { ...payout, amount } },
      { ...payout, amount: amountInEvent },
    ],
    [
      'journal.adjustment_recorded',
      { case: 'adjustment', value: { ...adjustment, amount: { ...amount, amountMinor: '-250000' } } },
      { ...adjustment, amount: { ...amountInEvent, amountMinor: -250_000 } },
    ],
  ] as const;
  const [[, deposit]] = RECORDS;

  const entry = (
    entryId: string,
    companyId: string,
    record: NonNullable<MessageInitShape<typeof JournalEntryRecordedSchema>['record']> = deposit,
    projectId?: string,
  ) =>
    salesMessage(JournalEntryRecordedSchema, {
      entryId,
      companyId,
      ...(projectId === undefined ? {} : { projectId }),
      record,
      occurredAt: stamp(-3),
    });

  async function linkedSeller(...accountants: readonly string[]): Promise<string> {
    const companyId = await insertCompany(database, 'SALES');
    await database.query(
      'insert into accounting_links (company_id, accounting_company_ids) values ($1, $2)',
      [companyId, accountants],
    );
    return companyId;
  }

  test.each(RECORDS)(
    'is published to every linked accounting company: %s [PLATFORM-18, TENANT-1]',
    async (event, record, data) => {
      const [one, two, stranger] = [
        await insertCompany(database, 'ACCOUNTING'),
        await insertCompany(database, 'ACCOUNTING'),
        await insertCompany(database, 'ACCOUNTING'),
      ];
      const companyId = await linkedSeller(one, two);
      await linkedSeller(stranger);
      const projectId = await insertProject(companyId);
      const entryId = newId('jrn');
      expect(await handle(entry(entryId, companyId, record, projectId))).toEqual(DONE);
      const recordedAt = at(-3).toISOString();
      const all = await eventsAbout(entryId);
      expect(new Set(all.map(({ to }) => to))).toEqual(new Set([one, two]));
      expect(all).toHaveLength(2);
      for (const { to: _to, ...envelope } of all) {
        expect(envelope).toEqual({
          event,
          occurredAt: recordedAt,
          resource: { type: 'journal_entry', id: entryId, version: 1 },
          data: { entryId, companyId, projectId, recordedAt, ...data },
        });
      }
    },
  );

  test('is recorded without a link, and published once [PLATFORM-3, PLATFORM-18]', async () => {
    const entryId = newId('jrn');
    const companyId = await linkedSeller();
    expect(await handle(entry(entryId, companyId))).toEqual(DONE);
    expect(await eventsAbout(entryId)).toEqual([]);
    expect(await recordOf(entryId)).toEqual({
      kind: 'journal_entry',
      company_id: companyId,
      project_id: null,
      version: 1,
      state: 'RECORDED',
    });
    const accountant = await insertCompany(database, 'ACCOUNTING');
    const linked = await linkedSeller(accountant);
    const next = newId('jrn');
    await Promise.all([handle(entry(next, linked)), handle(entry(next, linked))]);
    expect(await eventsAbout(next)).toMatchObject([{ to: accountant, data: { projectId: null } }]);
  });

  test('waits for its company and its project, and is refused with those of another company', async () => {
    const accountant = await insertCompany(database, 'ACCOUNTING');
    const companyId = await linkedSeller(accountant);
    const unknown = newId('cmp');
    await handle(entry(newId('jrn'), unknown));
    expect(await database.query('select from inbox where prerequisite_id = $1', [unknown])).toHaveLength(1);

    const [entryId, projectId] = [newId('jrn'), newId('prj')];
    await handle(entry(entryId, companyId, deposit, projectId));
    expect(await eventsAbout(entryId)).toEqual([]);
    await handle(projectCreated(projectId, companyId));
    expect(await eventsAbout(entryId)).toMatchObject([{ to: accountant, data: { projectId } }]);

    const foreign = await insertProject(otherSeller);
    expect(await handle(entry(newId('jrn'), companyId, deposit, foreign))).toEqual(
      dead(`project ${foreign} belongs to another company`),
    );
    expect(await handle(entry(entryId, seller))).toEqual(
      dead(`journal entry ${entryId} belongs to another company or project`),
    );
  });

  test('is refused, without an event, if it refers to a record of another company [PLATFORM-18]', async () => {
    const accountant = await insertCompany(database, 'ACCOUNTING');
    const companyId = await linkedSeller(accountant);
    const foreign = await insertProject(otherSeller);
    const own = await insertProject(companyId);
    for (const projectId of [foreign, own]) {
      const about = { projectId, version: 1, occurredAt: stamp() };
      const ids = { deposit: newId('dep'), invoice: newId('inv'), entry: newId('jrn') };
      const [paid, issued] = ['deposit.paid', 'invoice.issued'].map((event) =>
        FACT_CASES.find((fact) => fact.event === event),
      );
      const owner = projectId === own ? companyId : otherSeller;
      for (const message of [
        paid?.message({ ...about, id: ids.deposit }),
        issued?.message({ ...about, id: ids.invoice }),
        entry(ids.entry, owner),
      ]) {
        expect(message && (await handle(message))).toEqual(DONE);
      }
      const references = [
        [ids.deposit, { case: 'deposit', value: { depositId: ids.deposit, amount } }],
        [ids.invoice, { case: 'invoice', value: { ...invoice, invoiceId: ids.invoice, amount } }],
        [ids.entry, { case: 'adjustment', value: { ...adjustment, adjustsEntryId: ids.entry, amount } }],
      ] as const;
      for (const [id, record] of references) {
        const entryId = newId('jrn');
        expect(await handle(entry(entryId, companyId, record))).toEqual(
          projectId === own ? DONE : dead(`${id} belongs to another company`),
        );
        expect(await eventsAbout(entryId)).toHaveLength(projectId === own ? 1 : 0);
      }
    }
  });
});
