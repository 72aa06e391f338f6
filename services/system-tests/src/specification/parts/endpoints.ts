import type { SpecificationEntry } from '../specification-entry.js';
import {
  ADDRESS_KEYS,
  ADDRESS_RULES,
  BOUNDARIES,
  CONSOLE_APP,
  CONTRACTOR_JOBS,
  CONTRACTS,
  ENDPOINT_GUARD,
  EVENT_CATALOGUE_LIST,
  HTTPS_SENDER,
  HTTP_APP,
  INSTALLER_APP,
  MAIN_JOB,
  SECRETS,
  SUBSCRIPTIONS,
  SURFACES,
  VALIDATION,
  WEBHOOK_DISPATCHER,
} from '../test-files.js';

/** The part "Endpoints". */
export const ENDPOINTS: readonly SpecificationEntry[] = [
  {
    at: 'Endpoints',
    says: 'All inbound and installer bodies are JSON.',
    provedBy: {
      [SURFACES]: [
        'every operation > $id gives 400 to what is not a JSON object of its content type',
        'every operation > $id answers a valid request as its contract says, and ignores unknown fields',
      ],
    },
  },
  {
    at: 'Endpoints',
    says: 'Authentication is in the next part.',
    requiresNothing: 'points to another part',
  },
  {
    at: 'Endpoints',
    says: 'Headers named `Idempotency-Key` are required where stated.',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [HTTP_APP]: [
        'the input of an endpoint > without an Idempotency-Key is a 400 where one is required, and the message lists no other fault',
      ],
    },
  },
  {
    at: 'Endpoints / Inbound / POST /inbound/leads',
    says: 'POST | /inbound/leads | leads:write | LeadIn | 201 LeadCreated for a new lead; 200 LeadMerged when merged into an existing lead or project; 400, 401, 403, 429',
    provedBy: {
      [CONTRACTS]: [
        'the contracts say what the specification says > of the paths, methods, scopes and answers of the part %s',
      ],
      [SURFACES]: [
        'every operation > $id answers a valid request as its contract says, and ignores unknown fields',
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
        'every operation > $id gives 401 to everything that is no valid key of its surface: the fault that the key itself shows, else always the same words',
        'every operation > $id takes the kinds of keys that have its scope, gives 403 to the others of its surface and 401 to those of the other',
        'every operation > gives 429 with retry-after when its limit is used up, before it looks at scope, input and resource',
      ],
      [BOUNDARIES]: [
        'a resource > a lead is answered with exactly the fields of LeadCreated, then of LeadMerged',
      ],
    },
  },
  {
    at: 'Endpoints / Inbound / POST /inbound/appointments',
    says: 'POST | /inbound/appointments | appointments:write | AppointmentIn | 201 with appointmentId; 200 for an identical replay; 409 for the same idempotencyKey with a different body; 400, 401, 403',
    provedBy: {
      [CONTRACTS]: [
        'the contracts say what the specification says > of the paths, methods, scopes and answers of the part %s',
      ],
      [SURFACES]: [
        'every operation > $id answers a valid request as its contract says, and ignores unknown fields',
        'an Idempotency-Key > of an appointment is in its body: 201, then 200 with the same body, then 409 for another one',
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
        'every operation > $id gives 401 to everything that is no valid key of its surface: the fault that the key itself shows, else always the same words',
        'every operation > $id takes the kinds of keys that have its scope, gives 403 to the others of its surface and 401 to those of the other',
      ],
      [BOUNDARIES]: [
        'what belongs to another company > as a lead or project can not get an appointment: 403, whether it exists or not',
      ],
    },
  },
  {
    at: 'Endpoints / Inbound / GET /inbound/jobs',
    says: 'GET | /inbound/jobs | jobs:read (installer-contractor key) | query `take` integer 1 to 200, default 50 | 200 with `jobs` (array of ContractorJob), most recently updated first',
    provedBy: {
      [CONTRACTS]: [
        'the contracts say what the specification says > of the paths, methods, scopes and answers of the part %s',
      ],
      [SURFACES]: [
        'every operation > $id answers a valid request as its contract says, and ignores unknown fields',
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
        'every operation > $id takes the kinds of keys that have its scope, gives 403 to the others of its surface and 401 to those of the other',
      ],
      [BOUNDARIES]: [
        'what belongs to another company > is not seen by an installer-contractor key: neither what another seller sold nor what another installer performs',
      ],
      [CONTRACTOR_JOBS]: [
        'the list of sold jobs > has the most recently updated first, and of those updated at once the one that was made last',
      ],
      [VALIDATION]: ['validation > takes a page limit in decimal digits only'],
    },
  },
  {
    at: 'Endpoints / Inbound / POST /inbound/jobs/{id}/status',
    says: 'POST | /inbound/jobs/{id}/status | jobs:status:write (installer-contractor key) | `note` string, required, length 1 to 2000 | 200 when recorded (the note is appended to the job); 404 when the job is not visible to the key',
    provedBy: {
      [CONTRACTS]: [
        'the contracts say what the specification says > of the paths, methods, scopes and answers of the part %s',
      ],
      [SURFACES]: [
        'every operation > $id answers a valid request as its contract says, and ignores unknown fields',
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
        'every operation > $id takes the kinds of keys that have its scope, gives 403 to the others of its surface and 401 to those of the other',
      ],
      [BOUNDARIES]: [
        'a job > gets notes on new lines, which move lastUpdated and the place in the list but no version',
        'what belongs to another company > is not seen by an installer-contractor key: neither what another seller sold nor what another installer performs',
      ],
    },
  },
  {
    at: 'Endpoints / Inbound',
    says: 'Rule: leads are de-duplicated by normalised address within the company.',
    provedBy: {
      [MAIN_JOB]: [
        'a lead > is created, then merged by its address, and a repeat with its key gives the original answer',
      ],
      [BOUNDARIES]: ['what belongs to another company > as a lead at the same address is no reason to merge'],
      [ADDRESS_KEYS]: ['the key of an address > is the same for %j and %j'],
    },
  },
  {
    at: 'Endpoints / Installer v1 / GET /partner/v1/jobs',
    says: 'GET | /partner/v1/jobs | jobs:read | query `cursor` string (optional), `limit` integer 1 to 100, default 50 | 200 with apiVersion, resources (array of entries: sequence, changedAt, resource), nextCursor (string or null), hasMore (boolean); header x-svc-api-version',
    provedBy: {
      [CONTRACTS]: [
        'the contracts say what the specification says > of the paths, methods, scopes and answers of the part %s',
      ],
      [SURFACES]: [
        'every operation > $id answers a valid request as its contract says, and ignores unknown fields',
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
        'the version of the installer API > may be pinned for $id to the current date, and any other date is a 400',
      ],
      [BOUNDARIES]: [
        'a resource > a feed entry has its number, the instant of the change and the whole job as of the change',
      ],
      [INSTALLER_APP]: ['GET /partner/v1/jobs > has 50 entries at most unless told otherwise'],
    },
  },
  {
    at: 'Endpoints / Installer v1 / GET /partner/v1/jobs/{id}',
    says: 'GET | /partner/v1/jobs/{id} | (none stated) | none | 200 with apiVersion and resource (InstallerJob); 404 when not assigned to the company',
    provedBy: {
      [CONTRACTS]: [
        'the contracts say what the specification says > of the paths, methods, scopes and answers of the part %s',
      ],
      [SURFACES]: [
        'every operation > $id answers a valid request as its contract says, and ignores unknown fields',
      ],
      [BOUNDARIES]: [
        'a resource > InstallerJob has exactly the fields of the specification, with nothing of the customer but name, phone and address',
        'what belongs to another company > $id: a job is 404 in the same words as one that does not exist, and stays as it is',
      ],
    },
  },
  {
    at: 'Endpoints / Installer v1 / POST /partner/v1/jobs/{id}/status-events',
    says: 'POST | /partner/v1/jobs/{id}/status-events | jobs:status:write | header Idempotency-Key; StatusEventIn | 201 returns the job at its new version; 409 for a stale expectedVersion or idempotency mismatch; 422 when the transition is not allowed',
    provedBy: {
      [CONTRACTS]: [
        'the contracts say what the specification says > of the paths, methods, scopes and answers of the part %s',
      ],
      [SURFACES]: [
        'every operation > $id answers a valid request as its contract says, and ignores unknown fields',
        'an Idempotency-Key > of $id keeps a 409 stale_version and a 422, and gives 409 before 422',
        'an Idempotency-Key > of $id gives 409 with another body or for another operation',
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [BOUNDARIES]: [
        'a job > rises by one version with each status event, and every change is in the feed once, in its order',
      ],
    },
  },
  {
    at: 'Endpoints / Installer v1 / PUT /partner/v1/jobs/{id}/schedule',
    says: 'PUT | /partner/v1/jobs/{id}/schedule | jobs:schedule:write | header Idempotency-Key; ScheduleIn | 200 updated job; 409',
    provedBy: {
      [CONTRACTS]: [
        'the contracts say what the specification says > of the paths, methods, scopes and answers of the part %s',
      ],
      [SURFACES]: [
        'every operation > $id answers a valid request as its contract says, and ignores unknown fields',
        'an Idempotency-Key > of $id keeps a 409 stale_version and a 422, and gives 409 before 422',
        'an Idempotency-Key > of $id gives 409 with another body or for another operation',
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [BOUNDARIES]: [
        'a job > has its schedule set, confirmed and cancelled, one version each, with times in UTC and the IANA zone',
      ],
    },
  },
  {
    at: 'Endpoints / Installer v1 / GET /partner/v1/technicians',
    says: 'GET | /partner/v1/technicians | technicians:read | none | 200 with `technicians` (array of Technician)',
    provedBy: {
      [CONTRACTS]: [
        'the contracts say what the specification says > of the paths, methods, scopes and answers of the part %s',
      ],
      [SURFACES]: [
        'every operation > $id answers a valid request as its contract says, and ignores unknown fields',
      ],
      [BOUNDARIES]: [
        'a resource > Technician has exactly the fields of the specification, and the list is that of the company',
      ],
    },
  },
  {
    at: 'Endpoints / Installer v1 / PUT /partner/v1/jobs/{id}/assignments',
    says: 'PUT | /partner/v1/jobs/{id}/assignments | jobs:assignment:write | header Idempotency-Key; `membershipIds` array of strings (required, max 20 items, unique), `expectedVersion` integer min 1 (required) | 200 updated job (replaces the whole assignment set); 409',
    provedBy: {
      [CONTRACTS]: [
        'the contracts say what the specification says > of the paths, methods, scopes and answers of the part %s',
      ],
      [SURFACES]: [
        'every operation > $id answers a valid request as its contract says, and ignores unknown fields',
        'a field > membershipIds is taken with 20 different technicians, and is a 400 with 21 or with one of them twice',
        'an Idempotency-Key > of $id keeps a 409 stale_version and a 422, and gives 409 before 422',
        'an Idempotency-Key > of $id gives 409 with another body or for another operation',
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [BOUNDARIES]: ['a job > has its technicians replaced as a whole, in the order given'],
    },
  },
  {
    at: 'Endpoints / Installer v1',
    says: 'Rules:',
    requiresNothing: 'a heading of what follows',
  },
  {
    at: 'Endpoints / Installer v1 / rule 1',
    says: 'Without a cursor the change feed returns the latest page, not the full history. Clients keep the last nextCursor.',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > a feed entry has its number, the instant of the change and the whole job as of the change',
      ],
      [INSTALLER_APP]: [
        'GET /partner/v1/jobs > without a cursor is the newest page, oldest entry first, with each projection passed through as text',
      ],
    },
  },
  {
    at: 'Endpoints / Installer v1 / rule 2',
    says: 'The feed list already carries the full installer-safe resource for each change.',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > a feed entry has its number, the instant of the change and the whole job as of the change',
        'a job > rises by one version with each status event, and every change is in the feed once, in its order',
      ],
    },
  },
  {
    at: 'Endpoints / Installer v1 / rule 3',
    says: '`Idempotency-Key` header: required on the three writes above; string, max 128, pattern letters, digits, `.`, `_`, `:`, `-`.',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [HTTP_APP]: [
        'the input of an endpoint > without an Idempotency-Key is a 400 where one is required, and the message lists no other fault',
      ],
    },
  },
  {
    at: 'Endpoints / Console (owner session) / POST /partner-api/webhooks',
    says: 'POST | /partner-api/webhooks | Creates a subscription with an endpoint URL and chosen events; subscription starts paused',
    provedBy: {
      [MAIN_JOB]: ['a subscription > starts paused and is activated only after a verified test delivery'],
      [SUBSCRIPTIONS]: [
        'CreateSubscription > makes a paused subscription at the normalised URL, with a secret that is kept sealed',
      ],
    },
  },
  {
    at: 'Endpoints / Console (owner session) / POST /partner-api/webhooks/{id}/rotate-secret',
    says: 'POST | /partner-api/webhooks/{id}/rotate-secret | Creates a pending secret with the next version number; the secret is shown once',
    provedBy: {
      [SECRETS]: [
        'a rotation of the secret > makes a pending secret with the next version, shown once and kept sealed, and signs with the current one',
      ],
      [CONSOLE_APP]: [
        'a webhook subscription > gets another secret, shown once, tried by a test and then activated',
      ],
    },
  },
  {
    at: 'Endpoints / Console (owner session) / POST /partner-api/webhooks/{id}/activate-secret',
    says: 'POST | /partner-api/webhooks/{id}/activate-secret | Body has `pendingSecretVersion` (integer); new deliveries are signed with that version',
    provedBy: {
      [SECRETS]: [
        'a rotation of the secret > ends with the activation: what is signed from then on is signed with it, again without harm',
      ],
      [CONSOLE_APP]: [
        'a webhook subscription > gets another secret, shown once, tried by a test and then activated',
      ],
    },
  },
  {
    at: 'Endpoints / Console (owner session) / GET /partner-api/webhook-events',
    says: 'GET | /partner-api/webhook-events | Live event catalogue; also reports the signature scheme version',
    provedBy: {
      [EVENT_CATALOGUE_LIST]: [
        'the event catalogue > lists every event that a subscription can name, and the version of the signature scheme',
      ],
      [CONSOLE_APP]: [
        'the event catalogue > lists every event with who may have it, and answers 304 as long as it is the same',
      ],
    },
  },
  {
    at: 'Endpoints / Console (owner session)',
    says: 'Subscription URL rules (checked at creation and on every delivery):',
    provedBy: {
      [MAIN_JOB]: ['a subscription > is refused for %s (%s)'],
      [SUBSCRIPTIONS]: ['CreateSubscription > refuses a URL with the words of the dispatcher'],
      [WEBHOOK_DISPATCHER]: [
        'the service > sends nothing to an endpoint that is refused, and says so',
        'the service > judges endpoints for job-state with the rules of every delivery',
      ],
    },
  },
  {
    at: 'Endpoints / Console (owner session) / rule 1',
    says: 'HTTPS on port 443 only; plain HTTP, other ports and URLs with embedded credentials are rejected.',
    provedBy: {
      [ENDPOINT_GUARD]: ['$what: $url is refused before anything is looked up'],
      [MAIN_JOB]: ['a subscription > is refused for %s (%s)'],
    },
  },
  {
    at: 'Endpoints / Console (owner session) / rule 2',
    says: 'The host must resolve to a public address; private, loopback, link-local and cloud-metadata ranges are refused; DNS is resolved again at delivery time.',
    provedBy: {
      [ADDRESS_RULES]: ['IPv4 > $first to $last is refused and nothing beside it', 'IPv6 > %s %s is refused'],
      [ENDPOINT_GUARD]: ['a name > that resolves to %s is refused'],
      [HTTPS_SENDER]: [
        'a refused endpoint > is refused at delivery although it was admitted before: the name now leads inside',
      ],
    },
  },
  {
    at: 'Endpoints / Console (owner session)',
    says: 'Create-subscription request field names and response: not shown.',
    requiresNothing: 'leaves open what the decisions settle',
  },
  {
    at: 'Endpoints / Console (owner session)',
    says: 'Rotate-secret request body and response field names: not shown.',
    requiresNothing: 'leaves open what the decisions settle',
  },
  {
    at: 'Endpoints / Console (owner session)',
    says: 'Paths for activating a subscription, listing deliveries and replaying a delivery: not shown.',
    requiresNothing: 'leaves open what the decisions settle',
  },
  {
    at: 'Endpoints / Console (owner session)',
    says: 'Body of the 200 responses of appointment replay, job note, schedule and assignment updates: not shown beyond that the schedule and assignment responses are the updated job.',
    provedBy: {
      [BOUNDARIES]: [
        'a job > has its schedule set, confirmed and cancelled, one version each, with times in UTC and the IANA zone',
        'a job > has its technicians replaced as a whole, in the order given',
      ],
    },
  },
  {
    at: 'Endpoints / Console (owner session)',
    says: 'Response body of GET webhook-events: not shown beyond that it reports the live event list and the signature scheme version.',
    provedBy: {
      [EVENT_CATALOGUE_LIST]: [
        'the event catalogue > lists every event that a subscription can name, and the version of the signature scheme',
      ],
      [CONSOLE_APP]: [
        'the event catalogue > lists every event with who may have it, and answers 304 as long as it is the same',
      ],
    },
  },
];
