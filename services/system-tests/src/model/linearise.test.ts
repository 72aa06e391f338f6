import { describe, expect, test } from '@jest/globals';
import type { HttpResponse } from '@partner/test-kit/http-call';
import { linearise, type Linearisation } from './linearise.js';
import { type Caller, type Outcome, type Write, writeRequest } from './requests.js';
import { initialState } from './state.js';

const AT = '2026-10-05T14:00:00.000Z';
const shown = {
  id: 'job_1',
  company: { id: 'cmp_s', name: 'Seller' },
  customer: {
    name: 'Grace',
    phone: '1',
    address: { line1: '7 Harbor Street', city: 'Austin', state: 'TX', zip: '78701' },
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
const listed = {
  id: 'job_1',
  workOrderNo: null,
  address: '7 Harbor Street',
  city: 'Austin',
  state: 'TX',
  zip: '78701',
};
const readiness = { ready: true, blockerCodes: [] };
const world = {
  jobs: new Map([
    ['job_1', { id: 'job_1', sellerId: 'cmp_s', projectId: undefined, shown, listed, readiness }],
  ]),
  technicians: new Map([['cmp_a', []]]),
};

const caller = (companyId: string, kind: Caller['kind'], boundCompanyId?: string): Caller => ({
  companyId,
  kind,
  boundCompanyId,
  apiKey: '',
});
const INSTALLER = caller('cmp_a', 'installer-company');
const STRANGER = caller('cmp_b', 'installer-company');
const CONTRACTOR = caller('cmp_s', 'installer-contractor', 'cmp_a');
const SELLER = caller('cmp_s', 'general');

function answer(status: number, json: object, isReplay = false): HttpResponse {
  const headers = new Headers({
    'x-request-id': 'r',
    ...(isReplay ? { 'idempotency-replayed': 'true' } : {}),
  });
  return { status, headers, text: JSON.stringify(json), json };
}

const job = (version: number, status: string) => ({
  ...shown,
  version,
  status,
  schedule: { status: 'UNSCHEDULED', startsAt: null, endsAt: null, timeZone: null },
  readiness,
  technicianAssignments: [],
  updatedAt: AT,
});
const wrote = (by: Caller, write: Write, key: string, given: HttpResponse): Outcome => ({
  request: writeRequest(by, write, key),
  answer: given,
  wasRepeated: false,
});
const report = (status: 'ACKNOWLEDGED' | 'ON_SITE', key: string, given: HttpResponse) =>
  wrote(
    INSTALLER,
    {
      kind: 'status',
      jobId: 'job_1',
      expectedVersion: 1,
      status,
      occurredAt: AT,
      note: undefined,
      blockerCode: undefined,
    },
    key,
    given,
  );
const refusal = (code: string, rest: object = {}) => ({ error: 'x', code, requestId: 'r', ...rest });
const ACKNOWLEDGED = answer(201, { apiVersion: '2026-08-26', resource: job(2, 'ACKNOWLEDGED') });
const stale = (currentVersion: number) => answer(409, refusal('stale_version', { currentVersion }));
const read = (by: Caller, given: HttpResponse): Outcome => ({
  request: { kind: 'read', caller: by, path: '/job_1', what: { kind: 'job', jobId: 'job_1' } },
  answer: given,
  wasRepeated: false,
});
const note = (text: string, notes: string): Outcome =>
  wrote(
    CONTRACTOR,
    { kind: 'note', jobId: 'job_1', note: text },
    text,
    answer(200, { ...listed, stage: 'SOLD', installerNote: notes, lastUpdated: AT }),
  );
const lead = (fullName: string, leadId: string): Outcome =>
  wrote(
    SELLER,
    { kind: 'lead', place: 0, fullName, email: 'a@b.co', phone: '5550100', address: '12 Main St' },
    fullName,
    answer(201, { status: 'created', leadId }),
  );
const page = (
  ...versions: readonly (readonly [sequence: number, version: number, status: string])[]
): Outcome => ({
  request: { kind: 'read', caller: INSTALLER, path: '/jobs', what: { kind: 'after', sequence: 1 } },
  answer: answer(200, {
    apiVersion: '2026-08-26',
    resources: versions.map(([sequence, version, status]) => ({
      sequence,
      changedAt: AT,
      resource: job(version, status),
    })),
    nextCursor: 'c',
    hasMore: false,
  }),
  wasRepeated: false,
});

/** The search after the job was assigned to the installer company. */
function search(concurrent: readonly Outcome[], afterwards: readonly Outcome[] = []): Linearisation {
  const assigned = linearise(
    world,
    initialState(['job_1']),
    [{ request: { kind: 'assignment', jobId: 'job_1', installerId: 'cmp_a', version: 1 } }],
    [],
  );
  if (assigned.kind === 'unexplained') return assigned;
  return linearise(world, assigned.state, concurrent, afterwards);
}

describe('concurrent requests', () => {
  test.each<[string, readonly Outcome[], readonly Outcome[]]>([
    [
      'a loser that was answered first',
      [report('ON_SITE', 'k2', stale(2)), report('ACKNOWLEDGED', 'k1', ACKNOWLEDGED)],
      [],
    ],
    [
      'a read before and after a write',
      [
        read(INSTALLER, answer(200, { apiVersion: '2026-08-26', resource: job(2, 'ACKNOWLEDGED') })),
        report('ACKNOWLEDGED', 'k1', ACKNOWLEDGED),
        read(INSTALLER, answer(200, { apiVersion: '2026-08-26', resource: job(1, 'ASSIGNED') })),
      ],
      [page([2, 2, 'ACKNOWLEDGED'])],
    ],
    ['notes in the order of their responses', [note('b', 'a\nb'), note('a', 'a')], []],
    ['a read of a job by a company without it', [read(STRANGER, answer(404, refusal('not_found')))], []],
  ])('have an order: %s', (_what, concurrent, afterwards) => {
    expect(search(concurrent, afterwards)).toMatchObject({ kind: 'explained' });
  });

  test.each<[string, readonly Outcome[], readonly Outcome[]]>([
    [
      'two winners at one version',
      [report('ACKNOWLEDGED', 'k1', ACKNOWLEDGED), report('ACKNOWLEDGED', 'k2', ACKNOWLEDGED)],
      [],
    ],
    [
      'a replay with other bytes',
      [
        report('ACKNOWLEDGED', 'k1', ACKNOWLEDGED),
        report(
          'ACKNOWLEDGED',
          'k1',
          answer(201, { apiVersion: 'x', resource: job(2, 'ACKNOWLEDGED') }, true),
        ),
      ],
      [],
    ],
    [
      'a replay that does not say so',
      [report('ACKNOWLEDGED', 'k1', ACKNOWLEDGED), report('ACKNOWLEDGED', 'k1', ACKNOWLEDGED)],
      [],
    ],
    [
      'a first response that is a replay',
      [
        report(
          'ACKNOWLEDGED',
          'k1',
          answer(201, { apiVersion: '2026-08-26', resource: job(2, 'ACKNOWLEDGED') }, true),
        ),
      ],
      [],
    ],
    ['a stale version without a newer one', [report('ACKNOWLEDGED', 'k1', stale(2))], []],
    [
      'a move that the rules refuse',
      [report('ON_SITE', 'k1', answer(201, { apiVersion: '2026-08-26', resource: job(2, 'ON_SITE') }))],
      [],
    ],
    [
      'a job that another company reads',
      [read(STRANGER, answer(200, { apiVersion: '2026-08-26', resource: job(1, 'ASSIGNED') }))],
      [],
    ],
    ['a lost note', [note('a', 'a'), note('b', 'b')], []],
    ['two leads at one address', [lead('Ada', 'lead_1'), lead('Grace', 'lead_2')], []],
    ['a change that the feed leaves out', [report('ACKNOWLEDGED', 'k1', ACKNOWLEDGED)], [page()]],
    [
      'a sequence that the feed leaves out',
      [report('ACKNOWLEDGED', 'k1', ACKNOWLEDGED)],
      [page([3, 2, 'ACKNOWLEDGED'])],
    ],
    ['a version with two texts', [report('ACKNOWLEDGED', 'k1', ACKNOWLEDGED)], [page([2, 2, 'ASSIGNED'])]],
  ])('have no order: %s', (_what, concurrent, afterwards) => {
    expect(search(concurrent, afterwards)).toMatchObject({
      kind: 'unexplained',
      violations: expect.arrayContaining([expect.any(String)]),
    });
  });
});
