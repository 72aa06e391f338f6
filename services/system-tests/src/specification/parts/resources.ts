import type { SpecificationEntry } from '../specification-entry.js';
import {
  BOUNDARIES,
  CONTRACTOR_JOBS,
  CONTRACTS,
  DELIVERY_CONSOLE,
  DELIVERY_RESULTS,
  ENVELOPES,
  HTTP_APP,
  JOB_MESSAGES,
  MAIN_JOB,
  PROJECTION,
  SECRETS,
  STATUS_EVENTS,
  SUBSCRIPTIONS,
  SURFACES,
  VALIDATION,
} from '../test-files.js';

/** The part "Resources and their fields". */
export const RESOURCES: readonly SpecificationEntry[] = [
  {
    at: 'Resources and their fields',
    says: 'Types: string, integer, boolean, object, array.',
    provedBy: {
      [CONTRACTS]: [
        'the contracts say what the specification says > of the fields and types of %s',
        'the contracts say what the specification says > of the fields inside InstallerJob',
      ],
    },
  },
  {
    at: 'Resources and their fields',
    says: "'date-time' means ISO 8601 in UTC with a Z suffix.",
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [BOUNDARIES]: [
        'a job > has its schedule set, confirmed and cancelled, one version each, with times in UTC and the IANA zone',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the fields and types of %s'],
    },
  },
  {
    at: 'Resources and their fields / Lead input (LeadIn) / fullName',
    says: 'fullName | string | yes | length 1 to 120',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of the fields and types of %s',
        'the contracts say what the specification says > of what %s requires, of its lengths and of its values',
      ],
    },
  },
  {
    at: 'Resources and their fields / Lead input (LeadIn) / email',
    says: 'email | string (email format) | yes | max 254',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of the fields and types of %s',
        'the contracts say what the specification says > of what %s requires, of its lengths and of its values',
      ],
    },
  },
  {
    at: 'Resources and their fields / Lead input (LeadIn) / phone',
    says: 'phone | string | yes | length 7 to 40',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of the fields and types of %s',
        'the contracts say what the specification says > of what %s requires, of its lengths and of its values',
      ],
    },
  },
  {
    at: 'Resources and their fields / Lead input (LeadIn) / address',
    says: 'address | string | yes | length 3 to 500',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of the fields and types of %s',
        'the contracts say what the specification says > of what %s requires, of its lengths and of its values',
      ],
    },
  },
  {
    at: 'Resources and their fields / Lead input (LeadIn) / smsConsent',
    says: 'smsConsent | boolean | no | ',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of the fields and types of %s',
        'the contracts say what the specification says > of what %s requires, of its lengths and of its values',
      ],
    },
  },
  {
    at: 'Resources and their fields / Lead results / LeadCreated status',
    says: 'LeadCreated | status | string | constant `created`',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > a lead is answered with exactly the fields of LeadCreated, then of LeadMerged',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the results of a lead'],
    },
  },
  {
    at: 'Resources and their fields / Lead results / LeadCreated leadId',
    says: 'LeadCreated | leadId | string | ',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > a lead is answered with exactly the fields of LeadCreated, then of LeadMerged',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the results of a lead'],
    },
  },
  {
    at: 'Resources and their fields / Lead results / LeadMerged status',
    says: 'LeadMerged | status | string | constant `merged`',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > a lead is answered with exactly the fields of LeadCreated, then of LeadMerged',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the results of a lead'],
    },
  },
  {
    at: 'Resources and their fields / Lead results / LeadMerged leadId',
    says: 'LeadMerged | leadId | string | ',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > a lead is answered with exactly the fields of LeadCreated, then of LeadMerged',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the results of a lead'],
    },
  },
  {
    at: 'Resources and their fields / Lead results / LeadMerged projectId',
    says: 'LeadMerged | projectId | string | ',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > a lead is answered with exactly the fields of LeadCreated, then of LeadMerged',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the results of a lead'],
    },
  },
  {
    at: 'Resources and their fields / Lead results / LeadMerged reason',
    says: 'LeadMerged | reason | string | free-text reason for the merge',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > a lead is answered with exactly the fields of LeadCreated, then of LeadMerged',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the results of a lead'],
    },
  },
  {
    at: 'Resources and their fields / Lead results',
    says: 'Lead record fields stored by the service beyond the input: not shown.',
    requiresNothing: 'leaves open what the decisions settle',
  },
  {
    at: 'Resources and their fields / Appointment input (AppointmentIn) / leadId',
    says: 'leadId | string | yes | ',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of the fields and types of %s',
        'the contracts say what the specification says > of what %s requires, of its lengths and of its values',
      ],
      [BOUNDARIES]: [
        'what belongs to another company > as a lead or project can not get an appointment: 403, whether it exists or not',
      ],
    },
  },
  {
    at: 'Resources and their fields / Appointment input (AppointmentIn) / projectId',
    says: 'projectId | string | no | ',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of the fields and types of %s',
        'the contracts say what the specification says > of what %s requires, of its lengths and of its values',
      ],
      [BOUNDARIES]: [
        'what belongs to another company > as a lead or project can not get an appointment: 403, whether it exists or not',
      ],
    },
  },
  {
    at: 'Resources and their fields / Appointment input (AppointmentIn) / startsAt',
    says: 'startsAt | string date-time | yes | ',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of the fields and types of %s',
        'the contracts say what the specification says > of what %s requires, of its lengths and of its values',
      ],
    },
  },
  {
    at: 'Resources and their fields / Appointment input (AppointmentIn) / endsAt',
    says: 'endsAt | string date-time | yes | ',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of the fields and types of %s',
        'the contracts say what the specification says > of what %s requires, of its lengths and of its values',
      ],
    },
  },
  {
    at: 'Resources and their fields / Appointment input (AppointmentIn) / notes',
    says: 'notes | string | no | max 500',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of the fields and types of %s',
        'the contracts say what the specification says > of what %s requires, of its lengths and of its values',
      ],
    },
  },
  {
    at: 'Resources and their fields / Appointment input (AppointmentIn) / idempotencyKey',
    says: 'idempotencyKey | string | yes | length 8 to 160',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of the fields and types of %s',
        'the contracts say what the specification says > of what %s requires, of its lengths and of its values',
      ],
    },
  },
  {
    at: 'Resources and their fields / Appointment input (AppointmentIn)',
    says: 'Creation response has `appointmentId` (string).',
    provedBy: {
      [SURFACES]: [
        'an Idempotency-Key > of an appointment is in its body: 201, then 200 with the same body, then 409 for another one',
      ],
    },
  },
  {
    at: 'Resources and their fields / Appointment input (AppointmentIn)',
    says: 'Fields of the appointment record: not shown beyond appointmentId.',
    requiresNothing: 'leaves open what the decisions settle',
  },
  {
    at: 'Resources and their fields / ContractorJob (inbound job list item) / id',
    says: 'id | string',
    provedBy: {
      [BOUNDARIES]: ['a resource > ContractorJob has exactly the fields of the specification'],
      [CONTRACTS]: ['the contracts say what the specification says > of the fields and types of %s'],
    },
  },
  {
    at: 'Resources and their fields / ContractorJob (inbound job list item) / workOrderNo',
    says: 'workOrderNo | string or null',
    provedBy: {
      [BOUNDARIES]: ['a resource > ContractorJob has exactly the fields of the specification'],
      [CONTRACTS]: ['the contracts say what the specification says > of the fields and types of %s'],
      [CONTRACTOR_JOBS]: [
        'the RPC > leaves out the work order number and the notes that a job does not have',
      ],
    },
  },
  {
    at: 'Resources and their fields / ContractorJob (inbound job list item) / address',
    says: 'address | string',
    provedBy: {
      [BOUNDARIES]: ['a resource > ContractorJob has exactly the fields of the specification'],
      [CONTRACTS]: ['the contracts say what the specification says > of the fields and types of %s'],
    },
  },
  {
    at: 'Resources and their fields / ContractorJob (inbound job list item) / city',
    says: 'city | string',
    provedBy: {
      [BOUNDARIES]: ['a resource > ContractorJob has exactly the fields of the specification'],
      [CONTRACTS]: ['the contracts say what the specification says > of the fields and types of %s'],
    },
  },
  {
    at: 'Resources and their fields / ContractorJob (inbound job list item) / state',
    says: 'state | string',
    provedBy: {
      [BOUNDARIES]: ['a resource > ContractorJob has exactly the fields of the specification'],
      [CONTRACTS]: ['the contracts say what the specification says > of the fields and types of %s'],
    },
  },
  {
    at: 'Resources and their fields / ContractorJob (inbound job list item) / zip',
    says: 'zip | string',
    provedBy: {
      [BOUNDARIES]: ['a resource > ContractorJob has exactly the fields of the specification'],
      [CONTRACTS]: ['the contracts say what the specification says > of the fields and types of %s'],
    },
  },
  {
    at: 'Resources and their fields / ContractorJob (inbound job list item) / stage',
    says: 'stage | string',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > ContractorJob has exactly the fields of the specification',
        'a job > is at the stage of ContractorJob that its status and schedule say',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the fields and types of %s'],
    },
  },
  {
    at: 'Resources and their fields / ContractorJob (inbound job list item) / installerNote',
    says: 'installerNote | string or null',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > ContractorJob has exactly the fields of the specification',
        'a job > gets notes on new lines, which move lastUpdated and the place in the list but no version',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the fields and types of %s'],
    },
  },
  {
    at: 'Resources and their fields / ContractorJob (inbound job list item) / lastUpdated',
    says: 'lastUpdated | string date-time',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > ContractorJob has exactly the fields of the specification',
        'a job > gets notes on new lines, which move lastUpdated and the place in the list but no version',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the fields and types of %s'],
    },
  },
  {
    at: 'Resources and their fields / ContractorJob (inbound job list item)',
    says: 'Allowed values of ContractorJob.stage: not shown.',
    requiresNothing: 'leaves open what the decisions settle',
  },
  {
    at: 'Resources and their fields / InstallerJob (installer-safe projection) / id',
    says: 'id | string | ',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > InstallerJob has exactly the fields of the specification, with nothing of the customer but name, phone and address',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the fields and types of %s'],
    },
  },
  {
    at: 'Resources and their fields / InstallerJob (installer-safe projection) / version',
    says: 'version | integer | optimistic-concurrency version; sent back as expectedVersion',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > InstallerJob has exactly the fields of the specification, with nothing of the customer but name, phone and address',
        'a job > rises by one version with each status event, and every change is in the feed once, in its order',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the fields and types of %s'],
      [SURFACES]: [
        'an Idempotency-Key > of $id keeps a 409 stale_version and a 422, and gives 409 before 422',
      ],
    },
  },
  {
    at: 'Resources and their fields / InstallerJob (installer-safe projection) / status',
    says: 'status | string | ASSIGNED, ACKNOWLEDGED, EN_ROUTE, ON_SITE, BLOCKED, IN_PROGRESS, COMPLETE, CANCELLED',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > InstallerJob has exactly the fields of the specification, with nothing of the customer but name, phone and address',
        'a job > rises by one version with each status event, and every change is in the feed once, in its order',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of the fields and types of %s',
        'the contracts say what the specification says > of the fields inside InstallerJob',
      ],
    },
  },
  {
    at: 'Resources and their fields / InstallerJob (installer-safe projection) / company',
    says: 'company | object | id (string), name (string)',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > InstallerJob has exactly the fields of the specification, with nothing of the customer but name, phone and address',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of the fields and types of %s',
        'the contracts say what the specification says > of the fields inside InstallerJob',
      ],
      [MAIN_JOB]: [
        'a job > that the platform assigns appears in the feed and by its id, for its installer alone',
      ],
    },
  },
  {
    at: 'Resources and their fields / InstallerJob (installer-safe projection) / customer',
    says: 'customer | object | name (string), phone (string), address (object: line1, city, state, zip, all strings)',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > InstallerJob has exactly the fields of the specification, with nothing of the customer but name, phone and address',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of the fields and types of %s',
        'the contracts say what the specification says > of the fields inside InstallerJob',
      ],
    },
  },
  {
    at: 'Resources and their fields / InstallerJob (installer-safe projection) / scope',
    says: 'scope | object | packageName (string), systemType (string), equipment (array of objects), accessories (array of objects), supplierSources (array of objects), scopeVersion (integer)',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > InstallerJob has exactly the fields of the specification, with nothing of the customer but name, phone and address',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of the fields and types of %s',
        'the contracts say what the specification says > of the fields inside InstallerJob',
      ],
    },
  },
  {
    at: 'Resources and their fields / InstallerJob (installer-safe projection) / schedule',
    says: 'schedule | object | status (UNSCHEDULED, TENTATIVE, CONFIRMED, CANCELLED), startsAt (date-time or null), endsAt (date-time or null), timeZone (string or null)',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > InstallerJob has exactly the fields of the specification, with nothing of the customer but name, phone and address',
        'a job > has its schedule set, confirmed and cancelled, one version each, with times in UTC and the IANA zone',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of the fields and types of %s',
        'the contracts say what the specification says > of the fields inside InstallerJob',
      ],
    },
  },
  {
    at: 'Resources and their fields / InstallerJob (installer-safe projection) / readiness',
    says: 'readiness | object | ready (boolean), blockerCodes (array of strings)',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > InstallerJob has exactly the fields of the specification, with nothing of the customer but name, phone and address',
        'a job > that is blocked for %s shows it until it goes on',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of the fields and types of %s',
        'the contracts say what the specification says > of the fields inside InstallerJob',
      ],
    },
  },
  {
    at: 'Resources and their fields / InstallerJob (installer-safe projection) / documents',
    says: 'documents | array | items: id (string), category (SCOPE, PERMIT, MANUAL, WARRANTY, COMPLETION, CONTRACT_METADATA), mime (string), availableAt (date-time)',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > InstallerJob has exactly the fields of the specification, with nothing of the customer but name, phone and address',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of the fields and types of %s',
        'the contracts say what the specification says > of the fields inside InstallerJob',
      ],
      [PROJECTION]: ['the projection > has exactly the form of an InstallerJob'],
      [JOB_MESSAGES]: ['a document > is shown and told with the time of the platform, each version once'],
    },
  },
  {
    at: 'Resources and their fields / InstallerJob (installer-safe projection) / technicianAssignments',
    says: 'technicianAssignments | array | items: membershipId (string), assignedAt (date-time)',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > InstallerJob has exactly the fields of the specification, with nothing of the customer but name, phone and address',
        'a job > has its technicians replaced as a whole, in the order given',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of the fields and types of %s',
        'the contracts say what the specification says > of the fields inside InstallerJob',
      ],
    },
  },
  {
    at: 'Resources and their fields / InstallerJob (installer-safe projection) / updatedAt',
    says: 'updatedAt | string date-time | ',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > InstallerJob has exactly the fields of the specification, with nothing of the customer but name, phone and address',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the fields and types of %s'],
      [PROJECTION]: ['the projection > shows times in UTC with milliseconds'],
    },
  },
  {
    at: 'Resources and their fields / InstallerJob (installer-safe projection)',
    says: 'Item structure of equipment, accessories and supplierSources: not shown.',
    requiresNothing: 'leaves open what the decisions settle',
  },
  {
    at: 'Resources and their fields / StatusEventIn / status',
    says: 'status | string | yes | ACKNOWLEDGED, EN_ROUTE, ON_SITE, BLOCKED, IN_PROGRESS, COMPLETE',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of what %s requires, of its lengths and of its values',
      ],
      [VALIDATION]: ['validation > of the status event %j says: %s'],
      [BOUNDARIES]: [
        'a job > rises by one version with each status event, and every change is in the feed once, in its order',
      ],
    },
  },
  {
    at: 'Resources and their fields / StatusEventIn / occurredAt',
    says: 'occurredAt | string date-time | yes | at most 5 minutes in the future and 30 days in the past',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of what %s requires, of its lengths and of its values',
      ],
      [VALIDATION]: ['validation > of occurredAt %s at noon says: %s'],
      [STATUS_EVENTS]: [
        'a status event > that occurred too far from now is refused before the job is looked for, and leaves the key unused',
      ],
    },
  },
  {
    at: 'Resources and their fields / StatusEventIn / note',
    says: 'note | string | no | max 2000',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of what %s requires, of its lengths and of its values',
      ],
      [VALIDATION]: ['validation > counts characters, not UTF-16 units'],
    },
  },
  {
    at: 'Resources and their fields / StatusEventIn / blockerCode',
    says: 'blockerCode | string | required when status is BLOCKED | CUSTOMER_UNAVAILABLE, SITE_NOT_READY, MATERIAL_MISSING, EQUIPMENT_DAMAGED, PERMIT, WEATHER, SAFETY, OTHER',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of what %s requires, of its lengths and of its values',
      ],
      [BOUNDARIES]: ['a job > that is blocked for %s shows it until it goes on'],
    },
  },
  {
    at: 'Resources and their fields / StatusEventIn / expectedVersion',
    says: 'expectedVersion | integer | yes | min 1',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
        'an Idempotency-Key > of $id keeps a 409 stale_version and a 422, and gives 409 before 422',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of what %s requires, of its lengths and of its values',
      ],
      [VALIDATION]: ['validation > takes an expected version of any size, as far as JSON has integers'],
    },
  },
  {
    at: 'Resources and their fields / ScheduleIn / status',
    says: 'status | string | yes | TENTATIVE, CONFIRMED, CANCELLED',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of what %s requires, of its lengths and of its values',
        'the contracts say what the specification says > of the fields and types of %s',
      ],
      [BOUNDARIES]: [
        'a job > has its schedule set, confirmed and cancelled, one version each, with times in UTC and the IANA zone',
      ],
    },
  },
  {
    at: 'Resources and their fields / ScheduleIn / startsAt',
    says: 'startsAt | string date-time or null | yes | ',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of what %s requires, of its lengths and of its values',
        'the contracts say what the specification says > of the fields and types of %s',
      ],
      [BOUNDARIES]: [
        'a job > has its schedule set, confirmed and cancelled, one version each, with times in UTC and the IANA zone',
      ],
    },
  },
  {
    at: 'Resources and their fields / ScheduleIn / endsAt',
    says: 'endsAt | string date-time or null | yes | ',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of what %s requires, of its lengths and of its values',
        'the contracts say what the specification says > of the fields and types of %s',
      ],
      [BOUNDARIES]: [
        'a job > has its schedule set, confirmed and cancelled, one version each, with times in UTC and the IANA zone',
      ],
    },
  },
  {
    at: 'Resources and their fields / ScheduleIn / timeZone',
    says: 'timeZone | string | yes | IANA time zone name',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of what %s requires, of its lengths and of its values',
        'the contracts say what the specification says > of the fields and types of %s',
      ],
      [BOUNDARIES]: [
        'a job > has its schedule set, confirmed and cancelled, one version each, with times in UTC and the IANA zone',
      ],
    },
  },
  {
    at: 'Resources and their fields / ScheduleIn / expectedVersion',
    says: 'expectedVersion | integer | yes | min 1',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
        'an Idempotency-Key > of $id keeps a 409 stale_version and a 422, and gives 409 before 422',
      ],
      [CONTRACTS]: [
        'the contracts say what the specification says > of what %s requires, of its lengths and of its values',
        'the contracts say what the specification says > of the fields and types of %s',
      ],
    },
  },
  {
    at: 'Resources and their fields / Technician (list item) / membershipId',
    says: 'membershipId | string',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > Technician has exactly the fields of the specification, and the list is that of the company',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the fields and types of %s'],
    },
  },
  {
    at: 'Resources and their fields / Technician (list item) / displayName',
    says: 'displayName | string',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > Technician has exactly the fields of the specification, and the list is that of the company',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the fields and types of %s'],
    },
  },
  {
    at: 'Resources and their fields / Technician (list item) / active',
    says: 'active | boolean',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > Technician has exactly the fields of the specification, and the list is that of the company',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the fields and types of %s'],
    },
  },
  {
    at: 'Resources and their fields / Change feed entry / sequence',
    says: 'sequence | integer',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > a feed entry has its number, the instant of the change and the whole job as of the change',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the fields and types of %s'],
    },
  },
  {
    at: 'Resources and their fields / Change feed entry / changedAt',
    says: 'changedAt | string date-time',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > a feed entry has its number, the instant of the change and the whole job as of the change',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the fields and types of %s'],
    },
  },
  {
    at: 'Resources and their fields / Change feed entry / resource',
    says: 'resource | InstallerJob',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > a feed entry has its number, the instant of the change and the whole job as of the change',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the fields and types of %s'],
    },
  },
  {
    at: 'Resources and their fields / Error body',
    says: 'Object with `error` (string): a message.',
    provedBy: {
      [HTTP_APP]: ['the input of an endpoint > that is %s is a 400'],
      [SURFACES]: [
        'every operation > $id gives 400 to what is not a JSON object of its content type',
        'every operation > $id gives 401 to everything that is no valid key of its surface: the fault that the key itself shows, else always the same words',
      ],
    },
  },
  {
    at: 'Resources and their fields / Error body',
    says: 'Response header `x-request-id` accompanies errors.',
    provedBy: {
      [SURFACES]: [
        'every operation > $id says the request id of its caller when it has the right form, else a new one',
      ],
    },
  },
  {
    at: 'Resources and their fields / Webhook envelope / id',
    says: 'id | string | event id; identical across retries of the same event',
    provedBy: {
      [ENVELOPES]: ['renderEnvelope > renders these exact bytes'],
      [MAIN_JOB]: [
        'a webhook > that fails is sent again on schedule with the same event and a fresh delivery id, and the owner sees it',
      ],
    },
  },
  {
    at: 'Resources and their fields / Webhook envelope / event',
    says: 'event | string | event name',
    provedBy: {
      [ENVELOPES]: ['renderEnvelope > renders these exact bytes'],
      [MAIN_JOB]: [
        'a webhook > arrives signed so that a stock Standard Webhooks verifier accepts it, in the trace of its request',
      ],
    },
  },
  {
    at: 'Resources and their fields / Webhook envelope / apiVersion',
    says: 'apiVersion | string | current API version',
    provedBy: {
      [ENVELOPES]: ['renderEnvelope > renders these exact bytes'],
      [MAIN_JOB]: [
        'a webhook > arrives signed so that a stock Standard Webhooks verifier accepts it, in the trace of its request',
      ],
    },
  },
  {
    at: 'Resources and their fields / Webhook envelope / schemaVersion',
    says: 'schemaVersion | integer | payload schema version',
    provedBy: {
      [ENVELOPES]: ['renderEnvelope > renders these exact bytes'],
      [MAIN_JOB]: [
        'a webhook > arrives signed so that a stock Standard Webhooks verifier accepts it, in the trace of its request',
      ],
    },
  },
  {
    at: 'Resources and their fields / Webhook envelope / occurredAt',
    says: 'occurredAt | string date-time | ',
    provedBy: {
      [ENVELOPES]: ['renderEnvelope > renders these exact bytes'],
    },
  },
  {
    at: 'Resources and their fields / Webhook envelope / resource',
    says: 'resource | object | type (string, e.g. an install job type), id (string), version (integer; the same version as InstallerJob.version)',
    provedBy: {
      [ENVELOPES]: ['renderEnvelope > renders these exact bytes'],
      [MAIN_JOB]: [
        'a webhook > arrives signed so that a stock Standard Webhooks verifier accepts it, in the trace of its request',
      ],
      [STATUS_EVENTS]: [
        'a status event > is stored, kept in the history, told to the company and told to the platform',
      ],
    },
  },
  {
    at: 'Resources and their fields / Webhook envelope / data',
    says: 'data | object | event-specific payload',
    provedBy: {
      [ENVELOPES]: [
        'renderEnvelope > renders these exact bytes',
        'renderEnvelope > refuses a field that the event does not list',
      ],
    },
  },
  {
    at: 'Resources and their fields / Webhook subscription',
    says: 'Carries an endpoint URL, the subscribed events, its own signing secret with a version number (a pending secret may exist during rotation), a paused or active state, and a health indicator that can become degraded.',
    provedBy: {
      [SECRETS]: [
        'a rotation of the secret > makes a pending secret with the next version, shown once and kept sealed, and signs with the current one',
      ],
      [SUBSCRIPTIONS]: [
        'CreateSubscription > makes a paused subscription at the normalised URL, with a secret that is kept sealed',
      ],
      [DELIVERY_RESULTS]: [
        'the handler of delivery results > takes a delivery through 8 attempts to the dead letter, and the next success clears the health',
      ],
      [DELIVERY_CONSOLE]: [
        'a dead-lettered delivery > shows what became of each of its 8 attempts, and its subscription is degraded',
      ],
    },
  },
  {
    at: 'Resources and their fields / Webhook subscription',
    says: 'Fields of a webhook subscription record: not shown beyond these.',
    requiresNothing: 'leaves open what the decisions settle',
  },
];
