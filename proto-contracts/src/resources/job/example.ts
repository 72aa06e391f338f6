import type { z } from 'zod';
import { CURRENT_API_VERSION } from '../../api/versions.js';
import type { InstallerJob, jobResponse } from './job.js';

/** A job on the morning of its installation. */
export const INSTALLER_JOB_EXAMPLE = {
  id: 'job_01k3jb8w4fe6ts0c9mzp5xq7ra',
  version: 7,
  status: 'ACKNOWLEDGED',
  company: { id: 'cmp_01jx2m6q9rf8vb3n0kd5ztw4hs', name: 'Bluebonnet Home Energy' },
  customer: {
    name: 'Ada Quill',
    phone: '+1 512 555 0100',
    address: { line1: '12 N Elm St', city: 'Austin', state: 'TX', zip: '78701' },
  },
  scope: {
    packageName: 'Comfort 3-ton',
    systemType: 'HEAT_PUMP',
    equipment: [{ name: 'Heat pump', model: 'HP-36', quantity: 1 }],
    accessories: [{ name: 'Line set cover', model: null, quantity: 2 }],
    supplierSources: [{ name: 'Hill Country Supply', reference: 'SO-48213' }],
    scopeVersion: 2,
  },
  schedule: {
    status: 'CONFIRMED',
    startsAt: '2026-09-03T13:00:00.000Z',
    endsAt: '2026-09-03T21:00:00.000Z',
    timeZone: 'America/Chicago',
  },
  readiness: { ready: true, blockerCodes: [] },
  documents: [
    {
      id: 'doc_01k3jc0x7tf4r9ymz2e6vq8nhd',
      category: 'PERMIT',
      mime: 'application/pdf',
      availableAt: '2026-08-28T09:15:00.000Z',
    },
  ],
  technicianAssignments: [
    { membershipId: 'mem_01jx4s8c2wf5pabd7ezk0r6m3t', assignedAt: '2026-08-29T16:40:12.000Z' },
  ],
  updatedAt: '2026-08-29T16:40:12.000Z',
} as const satisfies InstallerJob;

/** The same job after a change, as a write returns it. */
export function jobResponseExample(change: Partial<InstallerJob>): z.infer<typeof jobResponse> {
  return {
    apiVersion: CURRENT_API_VERSION,
    resource: {
      ...INSTALLER_JOB_EXAMPLE,
      version: INSTALLER_JOB_EXAMPLE.version + 1,
      updatedAt: '2026-09-03T12:31:07.412Z',
      ...change,
    },
  };
}

export const [{ membershipId: MEMBERSHIP_ID }] = INSTALLER_JOB_EXAMPLE.technicianAssignments;

export const SECOND_MEMBERSHIP_ID = 'mem_01jx4t0v6pe8qcn3wyh9k5zs2r';
