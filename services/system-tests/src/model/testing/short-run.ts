import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { JobNoteAddedSchema } from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import {
  JobStatus,
  JobStatusChangedSchema,
} from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { AppointmentBookedSchema } from '@partner/proto-contracts/gen/partner/leads/v1/appointment_service_pb';
import {
  LeadCreatedSchema,
  LeadMergedSchema,
} from '@partner/proto-contracts/gen/partner/leads/v1/lead_service_pb';
import type { InstallerJob } from '@partner/proto-contracts/public-api/installer-job';
import { webhookEnvelope } from '@partner/proto-contracts/public-api/webhook-events';
import type { Evidence } from '../check-run.js';
import type {
  Caller,
  Following,
  PartnerEvent,
  Read,
  ReceivedResponse,
  Sending,
  Write,
  WriteRequest,
} from '../history.js';
import { createMarkers } from '../markers.js';
import type { WorldCompany, WorldJob } from '../world.js';

const AT = '2026-10-05T14:00:00.000Z';
const LATER = '2026-10-05T15:00:00.000Z';
const PAGE_END = { nextCursor: 'c', hasMore: false };

/** A company for a story: its id ends with its name. */
function company(name: string, companyClass: WorldCompany['class']): WorldCompany {
  const technicians =
    companyClass === 'INSTALLER'
      ? [{ membershipId: `mem_${name}`, displayName: `Technician of ${name}`, active: true }]
      : [];
  return { id: `cmp_${name}`, name, class: companyClass, technicians };
}

/** The parts of a short run of a service that is right, and what tests change of it. */
export interface ShortRun {
  readonly evidence: Evidence;
  /** Stands in the job's data. */
  readonly jobMarker: string;
  /** Stands in the database and nowhere else. */
  readonly canary: string;
  readonly installer: Caller;
  readonly contractor: Caller;
  /** A caller of the other installer company. */
  readonly stranger: Caller;
  job(version: 1 | 2): InstallerJob;
}

/**
 * A run in which one job, of seller `s` and installer `a`, is acknowledged (#1, repeated as #2), a stale write (#3) and a move
 * that is not allowed (#4) are refused, a lead comes in twice (#5, #6), an appointment is booked (#7, repeated as #8) and a note
 * is left (#9); the job is read (#20), and the feed is followed from its start and from a snapshot.
 */
export function shortRun(): ShortRun {
  const markers = createMarkers();
  const sellers = [company('s', 'SALES'), company('t', 'SALES')] as const;
  const installers = [company('a', 'INSTALLER'), company('b', 'INSTALLER')] as const;
  const caller = (kind: Caller['kind'], companyId: string, boundCompanyId?: string): Caller => ({
    kind,
    companyId,
    boundCompanyId,
    apiKey: '',
  });
  const installer = caller('installer-company', installers[0].id);
  const stranger = caller('installer-company', installers[1].id);
  const general = caller('general', sellers[0].id);
  const contractor = caller('installer-contractor', sellers[0].id, installers[0].id);

  const jobMarker = markers.mark({ to: 'viewers of job', jobId: 'job_1' });
  const shown: WorldJob['shown'] = {
    id: 'job_1',
    company: { id: sellers[0].id, name: sellers[0].name },
    customer: {
      name: jobMarker,
      phone: '5125550100',
      address: { line1: '1 Main St', city: 'Austin', state: 'TX', zip: '78701' },
    },
    scope: {
      packageName: 'Heat pump',
      systemType: 'HVAC',
      equipment: [],
      accessories: [],
      supplierSources: [],
      scopeVersion: 1,
    },
    documents: [],
  };
  const job: WorldJob = {
    id: 'job_1',
    sellerId: sellers[0].id,
    projectId: undefined,
    workOrderNo: 'WO-1',
    initialInstallerId: installers[0].id,
    initialNote: null,
    shown,
    readiness: { ready: true, blockerCodes: [] },
  };
  const jobAt = (version: 1 | 2): InstallerJob => ({
    id: shown.id,
    version,
    status: version === 1 ? 'ASSIGNED' : 'ACKNOWLEDGED',
    company: shown.company,
    customer: shown.customer,
    scope: shown.scope,
    schedule: { status: 'UNSCHEDULED', startsAt: null, endsAt: null, timeZone: null },
    readiness: { ready: true, blockerCodes: [] },
    documents: [],
    technicianAssignments: [],
    updatedAt: AT,
  });

  const status = (to: 'ACKNOWLEDGED' | 'COMPLETE', expectedVersion: number): Write => ({
    kind: 'status',
    jobId: job.id,
    expectedVersion,
    status: to,
    occurredAt: AT,
    note: undefined,
    blockerCode: undefined,
  });
  const lead = (fullName: string): Write => ({
    kind: 'lead',
    place: 0,
    fullName,
    email: 'ada@example.com',
    phone: '5125550100',
    address: `12 Main Street, Austin, TX 78701`,
    smsConsent: undefined,
  });
  const acknowledged = { apiVersion: '2026-08-26', resource: jobAt(2) };
  const booked = { appointmentId: 'appt_1', status: 'booked' };
  const noted = {
    id: job.id,
    workOrderNo: job.workOrderNo,
    address: '1 Main St',
    city: 'Austin',
    state: 'TX',
    zip: '78701',
    stage: 'SOLD',
    installerNote: 'a note',
    lastUpdated: LATER,
  };
  const merged = {
    status: 'merged',
    leadId: 'lead_1',
    projectId: 'prj_1',
    reason: 'address matches lead lead_1',
  };
  const appointment: Write = {
    kind: 'appointment',
    leadId: 'lead_1',
    projectId: undefined,
    startsAt: AT,
    endsAt: LATER,
    notes: undefined,
  };
  const sendings = [
    sending(1, 10, request(installer, status('ACKNOWLEDGED', 1), 'k1'), answer(201, acknowledged)),
    sending(2, 30, request(installer, status('ACKNOWLEDGED', 1), 'k1'), repeated(201, acknowledged)),
    sending(
      3,
      30,
      request(installer, { kind: 'assignments', jobId: job.id, expectedVersion: 1, membershipIds: [] }, 'k3'),
      answer(409, refusal('stale_version', { currentVersion: 2 })),
    ),
    sending(
      4,
      50,
      request(installer, status('COMPLETE', 2), 'k4'),
      answer(
        422,
        refusal('transition_not_allowed', {
          currentStatus: 'ACKNOWLEDGED',
          allowed: ['EN_ROUTE', 'ON_SITE', 'BLOCKED'],
        }),
      ),
    ),
    sending(5, 10, request(general, lead('Ada'), 'k5'), answer(201, { status: 'created', leadId: 'lead_1' })),
    sending(6, 30, request(general, lead('Grace'), undefined), answer(200, merged)),
    sending(7, 50, request(general, appointment, 'k7'), answer(201, booked)),
    sending(8, 70, request(general, appointment, 'k7'), repeated(200, booked)),
    sending(
      9,
      10,
      request(contractor, { kind: 'note', jobId: job.id, note: 'a note' }, 'k9'),
      answer(200, noted),
    ),
  ];
  const reads: Read[] = [
    {
      id: 20,
      caller: installer,
      path: '/partner/v1/jobs/job_1',
      what: { kind: 'job', jobId: job.id },
      sentAt: 70,
      endedAt: 80,
      answer: answer(200, acknowledged),
    },
  ];
  const entry = (sequence: number, version: 1 | 2) => ({ sequence, changedAt: AT, resource: jobAt(version) });
  const page = (path: string, sentAt: number, resources: readonly object[]) => ({
    path,
    sentAt,
    endedAt: sentAt + 5,
    answer: answer(200, { apiVersion: '2026-08-26', resources, ...PAGE_END }),
  });
  const followings: Following[] = [
    {
      caller: installer,
      begins: 'start',
      limit: 100,
      pages: [page('?from=start', 80, [entry(1, 1), entry(2, 2)]), page('?cursor=c', 90, [])],
    },
    {
      caller: installer,
      begins: 'snapshot',
      limit: 100,
      pages: [page('?view=snapshot', 5, [entry(1, 1)]), page('?cursor=c', 80, [entry(2, 2)])],
    },
  ];

  const events = [
    {
      id: 'evt_1',
      company_id: installers[0].id,
      name: 'install.job_assigned',
      resource_id: job.id,
      resource_version: 1,
      body: envelope('evt_1', 'install.job_assigned', 1, job.id, { jobId: job.id, status: 'ASSIGNED' }),
    },
    {
      id: 'evt_2',
      company_id: installers[0].id,
      name: 'install.status_changed',
      resource_id: job.id,
      resource_version: 2,
      body: envelope('evt_2', 'install.status_changed', 2, job.id, {
        jobId: job.id,
        previousStatus: 'ASSIGNED',
        status: 'ACKNOWLEDGED',
        occurredAt: AT,
        note: null,
        blockerCode: null,
      }),
    },
    {
      id: 'evt_3',
      company_id: sellers[0].id,
      name: 'appointment.booked',
      resource_id: 'appt_1',
      resource_version: 1,
      body: envelope('evt_3', 'appointment.booked', 1, 'appt_1', {
        appointmentId: 'appt_1',
        leadId: 'lead_1',
        projectId: null,
        startsAt: AT,
        endsAt: LATER,
        notes: null,
      }),
    },
  ];
  const installEvents = events.slice(0, 2);
  const canary = markers.canary();
  const evidence: Evidence = {
    markers,
    hasKilled: false,
    logs: new Map([['job-state', '{"msg":"job.status_recorded"}']]),
    world: {
      sellers,
      installers,
      companies: [...sellers, ...installers],
      jobs: [job],
      subscriptions: [
        { id: 'whk_1', companyId: installers[0].id, path: '/a', takes: () => true, isActive: true },
      ],
      assignments: [],
      installerCallers: [],
      generalCallers: [],
      contractorCallers: [],
    },
    history: {
      sendings,
      reads,
      followings,
      assignments: [
        {
          messageId: 'm0',
          jobId: job.id,
          installerCompanyId: installers[0].id,
          version: 2,
          sentAt: 0,
        },
      ],
      heard: [
        message('m1', JobStatusChangedSchema, {
          jobId: job.id,
          version: 2,
          companyId: installers[0].id,
          previousStatus: JobStatus.ASSIGNED,
          status: JobStatus.ACKNOWLEDGED,
          occurredAt: timestampFromDate(new Date(AT)),
        }),
        message('m2', LeadCreatedSchema, { companyId: sellers[0].id, leadId: 'lead_1', fullName: 'Ada' }),
        message('m3', LeadMergedSchema, { companyId: sellers[0].id, leadId: 'lead_1', fullName: 'Grace' }),
        message('m4', AppointmentBookedSchema, {
          companyId: sellers[0].id,
          appointmentId: 'appt_1',
          leadId: 'lead_1',
        }),
        message('m5', JobNoteAddedSchema, {
          jobId: job.id,
          installerCompanyId: installers[0].id,
          note: 'a note',
        }),
      ],
    },
    webhooks: installEvents.map(({ id, name, body }) => ({
      path: '/a',
      headers: { 'x-svc-event': name, 'x-svc-delivery-id': `dlv_${id}` },
      body: Buffer.from(body),
      envelope: webhookEnvelope.parse(JSON.parse(body)),
      answeredStatus: 204,
    })),
    final: {
      jobs: [
        {
          id: job.id,
          version: 2,
          status: 'ACKNOWLEDGED',
          installer_company_id: installers[0].id,
          projection: JSON.stringify(jobAt(2)),
          installer_note: 'a note',
        },
      ],
      statusEvents: [
        {
          job_id: job.id,
          version: 2,
          company_id: installers[0].id,
          previous_status: 'ASSIGNED',
          status: 'ACKNOWLEDGED',
          occurred_at: new Date(AT),
          note: null,
          blocker_code: null,
        },
      ],
      feed: ([1, 2] as const).map((version) => ({
        company_id: installers[0].id,
        sequence: version,
        job_id: job.id,
        resource: JSON.stringify(jobAt(version)),
      })),
      feedHeads: [{ company_id: installers[0].id, last: 2 }],
      events,
      deliveries: installEvents.map(({ id }) => ({
        id: `dlv_${id}`,
        subscription_id: 'whk_1',
        event_id: id,
        is_test: false,
        state: 'delivered',
      })),
      leads: [
        {
          id: 'lead_1',
          company_id: sellers[0].id,
          project_id: 'prj_1',
          full_name: 'Ada',
          address: '12 Main Street, Austin, TX 78701',
        },
      ],
      submissions: [{ lead_id: 'lead_1', full_name: 'Grace' }],
      appointments: [
        {
          id: 'appt_1',
          company_id: sellers[0].id,
          lead_id: 'lead_1',
          project_id: null,
          starts_at: new Date(AT),
          ends_at: new Date(LATER),
          notes: null,
        },
      ],
    },
  };
  return { evidence, jobMarker, canary, installer, contractor, stranger, job: jobAt };
}

/**
 * The short run, after which the job moves on to installer `b`: a repeat of the acknowledgement (#40) is not found then, a note
 * is left for `b` (#41), and those who sold the job list it (#42). Before all that `b` reads it (#43).
 */
export function movedRun(): ShortRun {
  const run = shortRun();
  const { evidence } = run;
  const { world, history, final } = evidence;
  const [job] = world.jobs;
  const [before, after] = world.installers;
  const [acknowledged] = history.sendings;
  const [row] = final.jobs;
  if (job === undefined || acknowledged === undefined || row === undefined)
    throw new Error('there is one job');
  const bound: Caller = { ...run.contractor, boundCompanyId: after.id };
  const shown = { ...run.job(1), version: 3 };
  const listed = {
    id: job.id,
    workOrderNo: job.workOrderNo,
    address: '1 Main St',
    city: 'Austin',
    state: 'TX',
    zip: '78701',
    stage: 'SOLD',
    installerNote: 'another note',
    lastUpdated: LATER,
  };
  const event = (id: string, name: string, companyId: string, data: object) => ({
    id,
    company_id: companyId,
    name,
    resource_id: job.id,
    resource_version: 3,
    body: envelope(id, name, 3, job.id, data),
  });
  const unassigned = event('evt_4', 'install.job_unassigned', before.id, { jobId: job.id });
  return {
    ...run,
    evidence: {
      ...evidence,
      history: {
        ...history,
        sendings: [
          ...history.sendings,
          sending(40, 130, acknowledged.request, answer(404, refusal('not_found'))),
          sending(
            41,
            130,
            request(bound, { kind: 'note', jobId: job.id, note: 'another note' }, 'k41'),
            answer(200, listed),
          ),
        ],
        reads: [
          ...history.reads,
          {
            id: 43,
            caller: run.stranger,
            path: '/partner/v1/jobs/job_1',
            what: { kind: 'job', jobId: job.id },
            sentAt: 115,
            endedAt: 120,
            answer: answer(200, { apiVersion: '2026-08-26', resource: shown }),
          },
          {
            id: 42,
            caller: bound,
            path: '/inbound/jobs',
            what: { kind: 'contractor jobs', take: 50 },
            sentAt: 150,
            endedAt: 160,
            answer: answer(200, { jobs: [listed] }),
          },
        ],
        assignments: [
          ...history.assignments,
          { messageId: 'm8', jobId: job.id, installerCompanyId: after.id, version: 3, sentAt: 110 },
        ],
        heard: [
          ...history.heard,
          message('m9', JobNoteAddedSchema, {
            jobId: job.id,
            installerCompanyId: after.id,
            note: 'another note',
          }),
        ],
      },
      webhooks: [
        ...evidence.webhooks,
        {
          path: '/a',
          headers: { 'x-svc-event': unassigned.name, 'x-svc-delivery-id': 'dlv_evt_4' },
          body: Buffer.from(unassigned.body),
          envelope: webhookEnvelope.parse(JSON.parse(unassigned.body)),
          answeredStatus: 204,
        },
      ],
      final: {
        ...final,
        jobs: [
          {
            ...row,
            version: 3,
            status: 'ASSIGNED',
            installer_company_id: after.id,
            projection: JSON.stringify(shown),
            installer_note: 'another note',
          },
        ],
        feed: [{ company_id: after.id, sequence: 1, job_id: job.id, resource: JSON.stringify(shown) }],
        feedHeads: [...final.feedHeads, { company_id: after.id, last: 1 }],
        events: [
          ...final.events,
          unassigned,
          event('evt_5', 'install.job_assigned', after.id, { jobId: job.id, status: 'ASSIGNED' }),
        ],
        deliveries: [
          ...final.deliveries,
          {
            id: 'dlv_evt_4',
            subscription_id: 'whk_1',
            event_id: 'evt_4',
            is_test: false,
            state: 'delivered',
          },
        ],
      },
    },
  };
}

function envelope(id: string, event: string, version: number, resourceId: string, data: object): string {
  return JSON.stringify({
    id,
    event,
    apiVersion: '2026-08-26',
    schemaVersion: 1,
    occurredAt: AT,
    resource: { type: 'x', id: resourceId, version },
    data,
  });
}

/** A write as a run records it. */
export function request(caller: Caller, write: Write, key: string | undefined): WriteRequest {
  const path = 'jobId' in write ? `/${write.kind}/${write.jobId}` : `/${write.kind}`;
  return { caller, write, method: 'POST', path, body: { ...write, key }, key, faultStatus: undefined };
}

/** A write that was sent once and answered 10 ms later. */
export function sending(
  id: number,
  sentAt: number,
  asked: WriteRequest,
  answered: ReceivedResponse,
): Sending {
  return { id, request: asked, tries: [{ sentAt, endedAt: sentAt + 10, answer: answered }] };
}

/** An answer with the headers that every outcome of a key has. */
export function answer(
  status: number,
  json: object,
  headers: Readonly<Record<string, string>> = {},
): ReceivedResponse {
  return {
    status,
    text: JSON.stringify(json),
    headers: { 'x-request-id': 'r', 'idempotency-expires': LATER, ...headers },
  };
}

function repeated(status: number, json: object): ReceivedResponse {
  return answer(status, json, { 'idempotency-replayed': 'true' });
}

/** The body of an error answer. */
export function refusal(code: string, more: object = {}): object {
  return { error: 'no', code, requestId: 'r', ...more };
}

function message<Desc extends DescMessage>(
  messageId: string,
  schema: Desc,
  init: MessageInitShape<Desc>,
): PartnerEvent {
  return { messageId, type: schema.typeName, body: toBinary(schema, create(schema, init)) };
}
