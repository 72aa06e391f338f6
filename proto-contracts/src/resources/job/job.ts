import { z } from 'zod';
import { apiVersion } from '../../values/api-version.js';
import { dateTimeOut } from '../../values/date-time.js';
import { redacted } from '../../values/redacted.js';
import { CURRENT_API_VERSION } from '../../api/versions.js';

/** Every status of a job, in lifecycle order. */
export const JOB_STATUSES = [
  'ASSIGNED',
  'ACKNOWLEDGED',
  'EN_ROUTE',
  'ON_SITE',
  'BLOCKED',
  'IN_PROGRESS',
  'COMPLETE',
  'CANCELLED',
] as const;

export type JobStatusName = (typeof JOB_STATUSES)[number];

export const REPORTABLE_STATUSES = [
  'ACKNOWLEDGED',
  'EN_ROUTE',
  'ON_SITE',
  'BLOCKED',
  'IN_PROGRESS',
  'COMPLETE',
] as const satisfies readonly JobStatusName[];

export const BLOCKER_CODES = [
  'CUSTOMER_UNAVAILABLE',
  'SITE_NOT_READY',
  'MATERIAL_MISSING',
  'EQUIPMENT_DAMAGED',
  'PERMIT',
  'WEATHER',
  'SAFETY',
  'OTHER',
] as const;

export const SCHEDULE_STATUSES = ['UNSCHEDULED', 'TENTATIVE', 'CONFIRMED', 'CANCELLED'] as const;

export const DOCUMENT_CATEGORIES = [
  'SCOPE',
  'PERMIT',
  'MANUAL',
  'WARRANTY',
  'COMPLETION',
  'CONTRACT_METADATA',
] as const;

export const jobStatus = z.enum(JOB_STATUSES).meta({ id: 'JobStatus', description: 'The status of a job.' });

export const scheduleStatus = z
  .enum(SCHEDULE_STATUSES)
  .meta({ id: 'ScheduleStatus', description: 'The status of a schedule.' });

const scopeItem = z
  .strictObject({
    name: z.string().meta({ description: 'What it is.' }),
    model: z.string().nullable().meta({ description: "The maker's model name." }),
    quantity: z.int().meta({ description: 'How many.' }),
  })
  .meta({ id: 'EquipmentItem', description: 'Equipment or an accessory to install.' });

export const jobSchedule = z
  .strictObject({
    status: scheduleStatus,
    startsAt: dateTimeOut.nullable(),
    endsAt: dateTimeOut.nullable(),
    timeZone: z.string().nullable().meta({ description: 'IANA name of the time zone to show the times in.' }),
  })
  .meta({ id: 'JobSchedule', description: 'When work is planned.' });

export const blockerCodes = z.array(z.string()).meta({
  description:
    'Reasons why work cannot begin. While the status is `BLOCKED`, the `blockerCode` of the status event is among them.',
});

/**
 * The installer-safe projection (spec: InstallerJob). Strict: a field that is not listed here cannot be sent. Customer
 * email, prices, costs, margin, financing, payments and signatures are deliberately not listed (spec: rule 6).
 */
export const installerJob = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the job.' }),
    version: z.int().min(1).meta({
      description:
        'Starts at 1 and increases by 1 with each change of the job. Send it back as `expectedVersion`.',
    }),
    status: jobStatus,
    company: z
      .strictObject({
        id: z.string().meta({ description: 'The id of the company.' }),
        name: z.string().meta({ description: 'The name of the company.' }),
      })
      .meta({ id: 'SellingCompany', description: 'The company that sold the job.' }),
    customer: z
      .strictObject({
        name: z.string().meta({ description: 'The name of the customer.' }),
        phone: z.string().meta({ description: 'The phone number of the customer.' }),
        address: z
          .strictObject({
            line1: z.string().meta({ description: 'Street and number.' }),
            city: z.string().meta({ description: 'The city.' }),
            state: z.string().meta({ description: 'The state, e.g. `TX`.' }),
            zip: z.string().meta({ description: 'The ZIP code.' }),
          })
          .meta({ id: 'Address', description: 'Where the work is done.' }),
      })
      .meta({ id: 'Customer', description: 'The customer of a job.' }),
    scope: z
      .strictObject({
        packageName: z.string().meta({ description: 'The name of the package that the customer bought.' }),
        systemType: z.string().meta({ description: 'The kind of system, e.g. `HEAT_PUMP`.' }),
        equipment: z.array(scopeItem).meta({ description: 'The equipment to install.' }),
        accessories: z.array(scopeItem).meta({ description: 'The accessories to install.' }),
        supplierSources: z
          .array(
            z
              .strictObject({
                name: z.string().meta({ description: 'The name of the supplier.' }),
                reference: z.string().nullable().meta({ description: 'The order number at the supplier.' }),
              })
              .meta({ id: 'SupplierSource', description: 'A supplier and the order there.' }),
          )
          .meta({ description: 'Where the material comes from.' }),
        scopeVersion: z.int().meta({ description: 'Increases with each change of the scope.' }),
      })
      .meta({ id: 'JobScope', description: 'What is to be installed.' }),
    schedule: jobSchedule,
    readiness: z
      .strictObject({
        ready: z.boolean().meta({ description: 'True: work can begin.' }),
        blockerCodes,
      })
      .meta({ id: 'Readiness', description: 'Whether work can begin.' }),
    documents: z
      .array(
        z
          .strictObject({
            id: z.string().meta({ description: 'The id of the document.' }),
            category: z.enum(DOCUMENT_CATEGORIES).meta({ description: 'What kind of document it is.' }),
            mime: z.string().meta({ description: 'Media type, e.g. `application/pdf`.' }),
            availableAt: dateTimeOut,
          })
          .meta({ id: 'JobDocument', description: 'A document of a job.' }),
      )
      .meta({ description: 'The documents of the job.' }),
    technicianAssignments: z
      .array(
        z
          .strictObject({
            membershipId: z.string().meta({ description: 'The technician, as in `listTechnicians`.' }),
            assignedAt: dateTimeOut,
          })
          .meta({ id: 'TechnicianAssignment', description: 'A technician of a job.' }),
      )
      .meta({ description: 'In the given order.' }),
    updatedAt: dateTimeOut,
    redacted,
  })
  .meta({
    id: 'InstallerJob',
    description:
      "A job as its installer may see it. It never holds the customer's email address, prices, costs, margin, financing," +
      ' payments or signatures.',
  });

export type InstallerJob = z.infer<typeof installerJob>;

export const jobResponse = z
  .object({ apiVersion, resource: installerJob })
  .meta({ id: 'Job', description: 'One job with the version of the API that shows it.' });

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
