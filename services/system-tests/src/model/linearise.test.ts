import { expect, test } from '@jest/globals';
import { INSTALLER_JOB_EXAMPLE } from '@partner/proto-contracts/resources/job/example';
import type { HttpResponse } from '@partner/test-kit/http-call';
import { linearise, type Linearisation } from './linearise.js';
import { type Caller, type Outcome, type Write, writeRequest } from './requests.js';
import { initialState } from './state.js';

const AT = '2026-10-05T14:00:00.000Z';
const { company, customer, scope, documents } = INSTALLER_JOB_EXAMPLE;
const shown = { id: 'job_1', company, customer, scope, documents };
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
  jobs: new Map([['job_1', { id: 'job_1', sellerId: 'cmp_s', shown, listed, readiness }]]),
  technicians: new Map([['cmp_a', []]]),
};

const caller = (companyId: string, kind: Caller['kind'], boundCompanyId?: string): Caller => ({
  companyId,
  kind,
  boundCompanyId,
  apiKey: '',
});
const INSTALLER = caller('cmp_a', 'installer-company');
const CONTRACTOR = caller('cmp_s', 'installer-contractor', 'cmp_a');

function answer(status: number, json: object): HttpResponse {
  return { status, headers: new Headers({ 'x-request-id': 'r' }), text: JSON.stringify(json), json };
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
const ACKNOWLEDGED = answer(201, { apiVersion: '2026-08-26', resource: job(2, 'ACKNOWLEDGED') });
const stale = (currentVersion: number) =>
  answer(409, { error: 'x', code: 'stale_version', requestId: 'r', currentVersion });
const note = (text: string, notes: string): Outcome =>
  wrote(
    CONTRACTOR,
    { kind: 'note', jobId: 'job_1', note: text },
    text,
    answer(200, { ...listed, stage: 'SOLD', installerNote: notes, lastUpdated: AT }),
  );
const page = (...versions: readonly (readonly [version: number, status: string])[]): Outcome => ({
  request: { kind: 'read', caller: INSTALLER, path: '/jobs', what: { kind: 'after', sequence: 1 } },
  answer: answer(200, {
    apiVersion: '2026-08-26',
    resources: versions.map(([version, status]) => ({
      sequence: version,
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

test.each<[string, readonly Outcome[], readonly Outcome[]]>([
  [
    'a loser that was answered first',
    [report('ON_SITE', 'k2', stale(2)), report('ACKNOWLEDGED', 'k1', ACKNOWLEDGED)],
    [page([2, 'ACKNOWLEDGED'])],
  ],
  ['notes in the order of their responses', [note('b', 'a\nb'), note('a', 'a')], []],
])('concurrent requests have an order: %s', (_what, concurrent, afterwards) => {
  expect(search(concurrent, afterwards)).toMatchObject({ kind: 'explained' });
});

test.each<[string, readonly Outcome[], readonly Outcome[]]>([
  [
    'two winners at one version',
    [report('ACKNOWLEDGED', 'k1', ACKNOWLEDGED), report('ACKNOWLEDGED', 'k2', ACKNOWLEDGED)],
    [],
  ],
  [
    'a move that the rules refuse',
    [report('ON_SITE', 'k1', answer(201, { apiVersion: '2026-08-26', resource: job(2, 'ON_SITE') }))],
    [],
  ],
  ['a lost note', [note('a', 'a'), note('b', 'b')], []],
  ['a change that the feed leaves out', [report('ACKNOWLEDGED', 'k1', ACKNOWLEDGED)], [page()]],
])('concurrent requests have no order: %s', (_what, concurrent, afterwards) => {
  expect(search(concurrent, afterwards)).toMatchObject({
    kind: 'unexplained',
    violations: expect.arrayContaining([expect.any(String)]),
  });
});
