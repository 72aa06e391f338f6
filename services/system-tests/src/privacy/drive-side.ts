import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf';
import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  AppointmentScheduledSchema,
  CustomerSchema,
  DepositPaidSchema,
  DepositRefundedSchema,
  DocumentCategory,
  InvoiceIssuedSchema,
  JobAssignedSchema,
  JobCancelledSchema,
  JobCompletionAcceptedSchema,
  JobCreatedSchema,
  JobDocumentAvailableSchema,
  JobReadinessChangedSchema,
  JobScheduledSchema,
  JobScheduleStatus,
  JobScopeChangedSchema,
  JobUnassignedSchema,
  JournalEntryRecordedSchema,
  MembershipChangedSchema,
  MembershipRole,
  ProjectCompletedSchema,
  ProjectCreatedSchema,
  ProjectStageChangedSchema,
  QuoteAcceptedSchema,
  QuoteSentSchema,
  QuoteViewedSchema,
  RebateStatusChangedSchema,
  ScopeItemSchema,
  ScopeSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import { appointmentBooked } from '@partner/proto-contracts/public-api/appointment';
import { type InstallerJob, jobResponse } from '@partner/proto-contracts/public-api/installer-job';
import { leadCreated, leadMerged } from '@partner/proto-contracts/public-api/lead';
import { newId } from '@partner/kernel/ids';
import { eventually } from '@partner/test-kit/eventually';
import {
  createPrivateCompany,
  expectStatus,
  type PrivacyDeps,
  type PrivateCompany,
} from './private-company.js';
import { withUnknownFields } from './unknown-fields.js';

/** A seller, an installer and an accounting company that work together, to which everything has happened. */
export interface PrivateSide {
  readonly seller: PrivateCompany;
  readonly installer: PrivateCompany;
  readonly accountant: PrivateCompany;
  readonly keys: { readonly general: string; readonly contractor: string; readonly installer: string };
  readonly jobId: string;
  readonly leadId: string;
  readonly projectId: string;
  readonly technicianId: string;
}

const PLATFORM = 'messages of the platform';
const USD = 'USD';
const STARTS = '2026-12-01T15:00:00.000Z';
const ENDS = '2026-12-01T17:00:00.000Z';

/** Fields that nobody may ever see again (spec: What the service does 6), as texts. */
function forbiddenTexts({ canaries }: PrivacyDeps, where: string): readonly string[] {
  return ['email', 'price', 'cost', 'margin', 'financing', 'payment', 'signature', 'name', 'phone'].map(
    (field) => `${field}=${canaries.word(`unknown ${field} in ${where}`, PLATFORM)}`,
  );
}

/** Fields that an installer never sees, as they would stand in the database if somebody stored them. */
function storedFields({ canaries }: PrivacyDeps, where: string): Readonly<Record<string, unknown>> {
  const word = (field: string) => canaries.word(`stored ${field} in ${where}`, 'database');
  const amount = (field: string) => canaries.amount(`stored ${field} in ${where}`, 'database');
  return {
    email: `${word('email')}@customers.example`,
    price: amount('price'),
    cost: amount('cost'),
    margin: word('margin'),
    financing: { lender: word('financing') },
    payments: [{ amount: amount('payment') }],
    signature: word('signature'),
  };
}

/** Makes the companies of a side and lets everything happen to them that can happen. */
export async function driveSide(deps: PrivacyDeps, side: string): Promise<PrivateSide> {
  const { stack, canaries, recorder } = deps;
  const installerWho = `the installer of side ${side}`;
  const sellerWho = `the seller of side ${side}`;
  const accountant = await createPrivateCompany(deps, {
    class: 'ACCOUNTING',
    who: `the accountant of side ${side}`,
  });
  const seller = await createPrivateCompany(deps, {
    class: 'SALES',
    who: sellerWho,
    accountingCompanyIds: [accountant.id],
    nameAt: [`api of ${installerWho}`],
  });
  const installer = await createPrivateCompany(deps, {
    class: 'INSTALLER',
    who: installerWho,
    nameAt: [`console of ${sellerWho}`],
  });
  await stack.database.query('update companies set installer_requests_per_minute = 1000000 where id = $1', [
    installer.id,
  ]);
  const at = {
    seller: `api of ${sellerWho}`,
    installer: `api of ${installerWho}`,
    sellerHears: [`webhooks of ${sellerWho}`, `console of ${sellerWho}`],
    installerHears: [`webhooks of ${installerWho}`, `console of ${installerWho}`],
    accountantHears: [`webhooks of ${accountant.who}`, `console of ${accountant.who}`],
  };
  const tell = <Desc extends DescMessage>(schema: Desc, message: MessageInitShape<Desc>) =>
    stack.publishFromPlatform(schema, message);
  const word = (what: string, ...places: readonly string[]) =>
    canaries.word(`${what} of side ${side}`, ...places);
  const money = (what: string, ...places: readonly string[]) => ({
    amountMinor: String(canaries.amount(`${what} of side ${side}`, ...places)),
    currency: USD,
  });

  const technicianId = await tellOfPeople();
  const general = await seller.makeKey('general');
  const installerKey = await installer.makeKey('installer-company');
  const { leadId, projectId } = await handInLeads();
  await bookAppointments();
  const jobId = await sellJob();
  const contractor = await seller.makeKey('installer-contractor', installer.id);
  await workOnJob();
  await noteOnJob();
  await tellOfOtherJobs();
  await tellOfSales();
  await tellOfJournal();
  return {
    seller,
    installer,
    accountant,
    keys: { general, contractor, installer: installerKey },
    jobId,
    leadId,
    projectId,
    technicianId,
  };

  async function tellOfPeople(): Promise<string> {
    const membershipId = newId('mem');
    await tell(MembershipChangedSchema, {
      membershipId,
      version: 1,
      companyId: installer.id,
      role: MembershipRole.TECHNICIAN,
      displayName: `Technician ${word('name of the technician', at.installer)}`,
      email: `${word('email of the technician', PLATFORM)}@technicians.example`,
      active: true,
      occurredAt: now(),
    });
    await eventually('the technician is there', async () => {
      const found = await stack.database.query('select 1 from memberships where id = $1', [membershipId]);
      return found.rowCount === 1;
    });
    return membershipId;
  }

  function asSeller(method: string, path: string, body?: unknown, key = general) {
    return recorder.call(at.seller, path, {
      method,
      headers: { 'x-api-key': key },
      ...(body === undefined ? {} : { body }),
    });
  }

  async function handInLeads() {
    const address = `7 ${word('address of the lead', 'platform')} Street, Austin, TX 78701`;
    const lead = (which: string, place: string) => ({
      fullName: `Ada ${word(`name of the ${which} lead`, place)}`,
      email: `${word(`email of the ${which} lead`, place)}@customers.example`,
      phone: `phone ${word(`phone of the ${which} lead`, place)}`,
      address,
      smsConsent: true,
    });
    const created = await asSeller('POST', '/inbound/leads', lead('first', 'platform'));
    const merged = await asSeller('POST', '/inbound/leads', lead('second', 'platform'));
    const kept = (what: string) => word(what, 'requests');
    for (const fault of [
      { ...lead('third', 'requests'), smsConsent: kept('consent') },
      { ...lead('fourth', 'requests'), address: kept('long address').repeat(30) },
      { fullName: kept('name without more'), phone: 1, address: [kept('address in a list')] },
      [kept('a list')],
    ]) {
      await expectStatus(400, asSeller('POST', '/inbound/leads', fault));
    }
    return {
      leadId: leadCreated.parse(created.json).leadId,
      projectId: leadMerged.parse(merged.json).projectId,
    };
  }

  async function bookAppointments(): Promise<void> {
    const booking = {
      leadId,
      startsAt: STARTS,
      endsAt: ENDS,
      notes: `Ring ${word('notes of the appointment', ...at.sellerHears, 'platform')}`,
      idempotencyKey: newId('evt'),
    };
    const booked = await expectStatus(201, asSeller('POST', '/inbound/appointments', booking));
    await expectStatus(200, asSeller('POST', '/inbound/appointments', booking));
    await expectStatus(
      409,
      asSeller('POST', '/inbound/appointments', { ...booking, notes: word('other notes', 'requests') }),
    );
    const { appointmentId } = appointmentBooked.parse(booked.json);
    const times = { startsAt: stamp(STARTS), endsAt: stamp(ENDS), occurredAt: now() };
    await tell(AppointmentScheduledSchema, {
      appointmentId,
      version: 2,
      leadId,
      notes: word('notes of the moved appointment', ...at.sellerHears),
      ...times,
    });
    await tell(
      AppointmentScheduledSchema,
      withUnknownFields(
        create(AppointmentScheduledSchema, {
          appointmentId: newId('appt'),
          version: 1,
          leadId,
          projectId,
          notes: word('notes of the appointment of the platform', ...at.sellerHears),
          ...times,
        }),
        forbiddenTexts(deps, `the appointment of side ${side}`),
      ),
    );
    // Waits for a lead that never comes.
    await tell(AppointmentScheduledSchema, {
      appointmentId: newId('appt'),
      version: 1,
      leadId: newId('lead'),
      notes: word('notes of the waiting appointment', PLATFORM),
      ...times,
    });
  }

  function scope(which: string, scopeVersion: number) {
    const shown = (what: string) => word(`${what} of the ${which} scope`, at.installer);
    const unknown = (what: string) => forbiddenTexts(deps, `${what} of the ${which} scope of side ${side}`);
    return withUnknownFields(
      create(ScopeSchema, {
        packageName: `Heat pump ${shown('package')}`,
        systemType: 'HVAC',
        equipment: [
          withUnknownFields(
            create(ScopeItemSchema, { name: shown('equipment'), model: shown('model'), quantity: 1 }),
            unknown('the equipment'),
          ),
        ],
        accessories: [{ name: shown('accessory'), quantity: 2 }],
        supplierSources: [{ name: shown('supplier'), reference: shown('reference') }],
        scopeVersion,
      }),
      unknown('all'),
    );
  }

  async function sellJob(): Promise<string> {
    const id = newId('job');
    await tell(
      JobCreatedSchema,
      withUnknownFields(
        create(JobCreatedSchema, {
          jobId: id,
          version: 1,
          sellingCompanyId: seller.id,
          projectId,
          workOrderNo: word('work order', at.seller),
          customer: withUnknownFields(
            create(CustomerSchema, {
              name: `Grace ${word('name of the customer', at.installer)}`,
              phone: word('phone of the customer', at.installer),
              line1: `7 ${word('address of the customer', at.installer, at.seller)} Street`,
              city: word('city of the customer', at.installer, at.seller),
              state: 'TX',
              zip: '78701',
            }),
            forbiddenTexts(deps, `the customer of side ${side}`),
          ),
          scope: scope('first', 1),
          occurredAt: now(),
        }),
        forbiddenTexts(deps, `the job of side ${side}`),
      ),
    );
    await eventually('the job is there', async () => {
      const found = await stack.database.query('select 1 from jobs where id = $1', [id]);
      return found.rowCount === 1;
    });
    // As if what the contract does not know had been stored all the same.
    const extra = (where: string) => JSON.stringify(storedFields(deps, `${where} of side ${side}`));
    const stored = await stack.database.query<{ row: string }>(
      `update jobs set customer = customer || $2::jsonb,
         scope = scope || $3::jsonb || jsonb_build_object('equipment',
           (select jsonb_agg(item || $4::jsonb) from jsonb_array_elements(scope -> 'equipment') as item))
       where id = $1 returning to_jsonb(jobs)::text as row`,
      [id, extra('the customer'), extra('the scope'), extra('the equipment')],
    );
    recorder.keep('database', 'the job', stored.rows[0]?.row ?? '');
    await tell(JobAssignedSchema, {
      jobId: id,
      version: 2,
      installerCompanyId: installer.id,
      occurredAt: now(),
    });
    await jobAt(id, 1);
    return id;
  }

  function asInstaller(method: string, path: string, body?: unknown, headers = {}) {
    return recorder.call(at.installer, `/partner/v1${path}`, {
      method,
      headers: {
        'x-api-key': installerKey,
        ...(method === 'GET' ? {} : { 'idempotency-key': newId('evt') }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
  }

  /** The job as its installer sees it, at that version or a later one. */
  function jobAt(id: string, version: number): Promise<InstallerJob> {
    return eventually(`version ${version} of the job`, async () => {
      const answer = await asInstaller('GET', `/jobs/${id}`);
      if (answer.status !== 200) return undefined;
      const { resource } = jobResponse.parse(answer.json);
      return resource.version >= version && resource;
    });
  }

  async function workOnJob(): Promise<void> {
    await tell(JobReadinessChangedSchema, {
      jobId,
      version: 3,
      ready: false,
      blockerCodes: ['PERMIT'],
      occurredAt: now(),
    });
    await tell(JobScheduledSchema, {
      jobId,
      version: 4,
      status: JobScheduleStatus.TENTATIVE,
      startsAt: stamp(STARTS),
      endsAt: stamp(ENDS),
      timeZone: 'America/Chicago',
      occurredAt: now(),
    });
    await tell(JobDocumentAvailableSchema, {
      jobId,
      version: 5,
      documentId: newId('doc'),
      category: DocumentCategory.PERMIT,
      mime: 'application/pdf',
      occurredAt: now(),
    });
    // The first scope is seen before the second takes its place.
    await jobAt(jobId, 4);
    await tell(
      JobScopeChangedSchema,
      withUnknownFields(
        create(JobScopeChangedSchema, { jobId, version: 6, scope: scope('second', 2), occurredAt: now() }),
        forbiddenTexts(deps, `the change of scope of side ${side}`),
      ),
    );
    let { version } = await jobAt(jobId, 5);
    const write = async (method: string, path: string, body: object) => {
      const answer = await asInstaller(method, `/jobs/${jobId}/${path}`, {
        ...body,
        expectedVersion: version,
      });
      version = jobResponse.parse(answer.json).resource.version;
    };
    const report = (body: object) =>
      write('POST', 'status-events', { occurredAt: new Date().toISOString(), ...body });
    const note = (what: string) => word(`note ${what}`, ...at.installerHears, 'platform');
    await report({ status: 'ACKNOWLEDGED', note: note('on the acknowledgement') });
    await report({ status: 'BLOCKED', blockerCode: 'WEATHER', note: note('on the blocker') });
    await report({ status: 'EN_ROUTE' });
    await write('PUT', 'schedule', {
      status: 'CONFIRMED',
      startsAt: STARTS,
      endsAt: ENDS,
      timeZone: 'America/Denver',
    });
    await write('PUT', 'assignments', { membershipIds: [technicianId] });
    await report({ status: 'ON_SITE' });
    await report({ status: 'IN_PROGRESS' });
    await report({ status: 'COMPLETE' });
    await tell(JobCompletionAcceptedSchema, { jobId, version: 7, occurredAt: now() });
    const refused = (body: object) =>
      asInstaller('POST', `/jobs/${jobId}/status-events`, {
        status: 'ACKNOWLEDGED',
        occurredAt: new Date().toISOString(),
        expectedVersion: version,
        ...body,
      });
    await expectStatus(422, refused({ note: word('note on a move that is not allowed', 'requests') }));
    await expectStatus(
      409,
      refused({ expectedVersion: 1, note: word('note on an old version', 'requests') }),
    );
    await expectStatus(400, refused({ note: word('note that is too long', 'requests').repeat(200) }));
    await expectStatus(400, refused({ status: word('status that there is not', 'requests') }));
  }

  async function noteOnJob(): Promise<void> {
    const path = `/inbound/jobs/${jobId}/status`;
    await expectStatus(
      200,
      asSeller('POST', path, { note: word('note of the contractor', at.seller, 'platform') }, contractor),
    );
    await expectStatus(
      400,
      asSeller('POST', path, { note: word('too long note', 'requests').repeat(200) }, contractor),
    );
    await expectStatus(
      404,
      asSeller(
        'POST',
        `/inbound/jobs/${newId('job')}/status`,
        { note: word('note on no job', 'requests') },
        contractor,
      ),
    );
  }

  /** Jobs that the installer loses again: unassigned and cancelled. */
  async function tellOfOtherJobs(): Promise<void> {
    for (const [which, schema] of [
      ['unassigned', JobUnassignedSchema],
      ['cancelled', JobCancelledSchema],
    ] as const) {
      const id = newId('job');
      await tell(JobCreatedSchema, {
        jobId: id,
        version: 1,
        sellingCompanyId: seller.id,
        customer: {
          name: word(`name of the customer of the ${which} job`, at.installer),
          phone: word(`phone of the customer of the ${which} job`, at.installer),
          line1: '8 Harbor Street',
          city: 'Austin',
          state: 'TX',
          zip: '78701',
        },
        scope: scope(`${which} job's`, 1),
        occurredAt: now(),
      });
      await tell(JobAssignedSchema, {
        jobId: id,
        version: 2,
        installerCompanyId: installer.id,
        occurredAt: now(),
      });
      await jobAt(id, 1);
      await tell(schema, { jobId: id, version: 3, occurredAt: now() });
      await eventually(`the job is ${which}`, async () => {
        const found = await stack.database.query('select 1 from jobs where id = $1 and version = 2', [id]);
        return found.rowCount === 1;
      });
      await asInstaller('GET', `/jobs/${id}`);
    }
  }

  async function tellOfSales(): Promise<void> {
    const of = { projectId, occurredAt: now() };
    const quoteId = newId('quo');
    const depositId = newId('dep');
    const told = (what: string) => word(what, ...at.sellerHears);
    const total = (what: string) => money(what, ...at.sellerHears);
    const createdId = newId('prj');
    await tell(ProjectCreatedSchema, {
      projectId: createdId,
      version: 1,
      sellingCompanyId: seller.id,
      occurredAt: now(),
    });
    await tell(ProjectStageChangedSchema, {
      ...of,
      version: 1,
      previousStage: told('stage before'),
      stage: told('stage'),
    });
    await tell(ProjectCompletedSchema, { ...of, projectId: createdId, version: 2 });
    await tell(
      QuoteSentSchema,
      withUnknownFields(
        create(QuoteSentSchema, { ...of, quoteId, version: 1, total: total('total of the quote') }),
        forbiddenTexts(deps, `the quote of side ${side}`),
      ),
    );
    await tell(QuoteViewedSchema, { ...of, quoteId, version: 2 });
    await tell(QuoteAcceptedSchema, {
      ...of,
      quoteId,
      version: 3,
      optionName: told('option'),
      total: total('accepted total'),
    });
    await tell(DepositPaidSchema, { ...of, depositId, version: 1, amount: total('deposit') });
    await tell(DepositRefundedSchema, { ...of, depositId, version: 2, amount: total('refund') });
    await tell(InvoiceIssuedSchema, {
      ...of,
      invoiceId: newId('inv'),
      version: 1,
      invoiceNumber: told('invoice number'),
      total: total('total of the invoice'),
    });
    await tell(RebateStatusChangedSchema, {
      ...of,
      rebateId: newId('reb'),
      version: 1,
      programme: told('programme'),
      previousStatus: told('rebate status before'),
      status: told('rebate status'),
    });
  }

  async function tellOfJournal(): Promise<void> {
    const entry = () => ({
      entryId: newId('jrn'),
      companyId: seller.id,
      projectId,
      occurredAt: now(),
    });
    const amount = (what: string) => money(`journal's ${what}`, ...at.accountantHears);
    const told = (what: string) => canaries.code(`journal's ${what} of side ${side}`, ...at.accountantHears);
    await tell(
      JournalEntryRecordedSchema,
      withUnknownFields(
        create(JournalEntryRecordedSchema, {
          ...entry(),
          record: { case: 'deposit', value: { depositId: newId('dep'), amount: amount('deposit') } },
        }),
        forbiddenTexts(deps, `the journal of side ${side}`),
      ),
    );
    await tell(JournalEntryRecordedSchema, {
      ...entry(),
      record: {
        case: 'invoice',
        value: { invoiceId: newId('inv'), invoiceNumber: told('invoice number'), amount: amount('invoice') },
      },
    });
    await tell(JournalEntryRecordedSchema, {
      ...entry(),
      record: {
        case: 'payout',
        value: { payoutId: newId('pay'), payeeCompanyId: installer.id, amount: amount('payout') },
      },
    });
    await tell(JournalEntryRecordedSchema, {
      ...entry(),
      record: {
        case: 'adjustment',
        value: { reasonCode: told('reason'), amount: amount('adjustment') },
      },
    });
  }
}

function now(): Timestamp {
  return timestampFromDate(new Date());
}

function stamp(text: string): Timestamp {
  return timestampFromDate(new Date(text));
}
