import { describe, expect, test } from '@jest/globals';
import { installerJob } from '@partner/proto-contracts/resources/job/job';
import type { JobRecord } from './job-record.js';
import { renderProjection } from './render-projection.js';

const job: JobRecord = {
  id: 'job_1',
  version: 4,
  status: 'ON_SITE',
  sellingCompany: { id: 'cmp_1', name: 'Seller' },
  installerCompanyId: 'cmp_2',
  assignedAt: new Date('2026-10-01T09:00:00.000Z'),
  blockerCode: null,
  customer: { name: 'Jo', phone: '+1 555 0100', line1: '1 A St', city: 'Boulder', state: 'CO', zip: '80302' },
  scope: {
    packageName: 'P',
    systemType: 'HVAC',
    equipment: [{ name: 'Pump', model: null, quantity: 1 }],
    accessories: [{ name: 'Kit', model: 'K', quantity: 2 }],
    supplierSources: [{ name: 'Supply', reference: null }],
    scopeVersion: 1,
  },
  schedule: {
    status: 'CONFIRMED',
    startsAt: new Date('2026-10-02T09:00:00.000Z'),
    endsAt: new Date('2026-10-02T13:00:00.000Z'),
    timeZone: 'America/Denver',
  },
  readiness: { ready: true, blockerCodes: [] },
  documents: [
    { id: 'doc_1', category: 'SCOPE', mime: 'application/pdf', availableAt: '2026-10-01T09:00:00.000Z' },
  ],
  technicianAssignments: [{ membershipId: 'mem_1', assignedAt: '2026-10-01T10:00:00.000Z' }],
  updatedAt: new Date('2026-10-02T09:01:00.000Z'),
};

/** A value that also has fields that installers must never see, as a row of a later version might. */
function withSecrets<T extends object>(value: T): T {
  return Object.assign({ ...value }, { email: 'CANARY', price: 'CANARY', margin: { financing: 'CANARY' } });
}

describe('the projection', () => {
  test('has exactly the form of an InstallerJob, with times in UTC and milliseconds [HTTP-17, JOB-1]', () => {
    const shown: unknown = JSON.parse(renderProjection(job));
    expect(installerJob.parse(shown)).toEqual(shown);
    expect(shown).toMatchObject({
      schedule: { startsAt: '2026-10-02T09:00:00.000Z', endsAt: '2026-10-02T13:00:00.000Z' },
      updatedAt: '2026-10-02T09:01:00.000Z',
    });
  });

  test('drops fields that are not listed, at any depth [SERVICE-6]', () => {
    const loaded: JobRecord = withSecrets({
      ...job,
      sellingCompany: withSecrets(job.sellingCompany),
      customer: withSecrets(job.customer),
      scope: withSecrets({
        ...job.scope,
        equipment: job.scope.equipment.map(withSecrets),
        accessories: job.scope.accessories.map(withSecrets),
        supplierSources: job.scope.supplierSources.map(withSecrets),
      }),
      schedule: withSecrets(job.schedule),
      readiness: withSecrets(job.readiness),
      documents: job.documents.map(withSecrets),
      technicianAssignments: job.technicianAssignments.map(withSecrets),
    });
    expect(renderProjection(loaded)).toBe(renderProjection(job));
  });
});
