import type { SpecificationEntry } from '../specification-entry.js';
import {
  BOUNDARIES,
  CONSOLE_APP,
  CONTRACTS,
  DELIVERY_RESULTS,
  ENVELOPES,
  EXAMPLE_VERIFIER,
  HTTP_APP,
  INSTALLER_APP,
  LIST_CONTRACTOR_JOBS_ROUTE,
  RATE_LIMITS,
  RETRY_SCHEDULE,
  STATUS_EVENTS,
  SURFACES,
  VALIDATION,
  WEBHOOK_DISPATCHER,
} from '../test-files.js';

/** The part "Limits". */
export const LIMIT_RULES: readonly SpecificationEntry[] = [
  {
    at: 'Limits / Installer API v1 (/partner/v1)',
    says: 'Installer API v1 (/partner/v1) | 60 requests per minute | key owner',
    provedBy: {
      [CONTRACTS]: ['the contracts say what the specification says > of the limits'],
      [RATE_LIMITS]: [
        'two replicas of each gateway with Redis > accept 60 requests of an installer company in a minute and never more in any',
      ],
    },
  },
  {
    at: 'Limits / Inbound API (/inbound)',
    says: 'Inbound API (/inbound) | 600 requests per minute | company, all its keys together',
    provedBy: {
      [CONTRACTS]: ['the contracts say what the specification says > of the limits'],
      [RATE_LIMITS]: [
        'two replicas of each gateway with Redis > accept 600 requests of a company on the inbound surface in a minute, all its keys together, and never more in any',
      ],
      [SURFACES]: [
        'every operation > gives 429 with retry-after when its limit is used up, before it looks at scope, input and resource',
      ],
    },
  },
  {
    at: 'Limits / Console API',
    says: 'Console API | 3,000 requests per minute | session',
    provedBy: {
      [CONTRACTS]: ['the contracts say what the specification says > of the limits'],
      [CONSOLE_APP]: ['a session > has a limit of its own of 3,000 requests a minute'],
    },
  },
  {
    at: 'Limits',
    says: 'Exceeding a limit gives 429 with `retry-after`.',
    provedBy: {
      [SURFACES]: [
        'every operation > gives 429 with retry-after when its limit is used up, before it looks at scope, input and resource',
      ],
    },
  },
  {
    at: 'Limits',
    says: 'Higher installer limits can be granted to companies that batch through cursor pagination; values are unspecified.',
    provedBy: {
      [RATE_LIMITS]: ['two replicas of each gateway with Redis > accept as many as a company was granted'],
    },
  },
  {
    at: 'Limits',
    says: 'Polling the change feed should be at most once a minute.',
    requiresNothing: 'what a client does',
  },
  {
    at: 'Limits / Request body',
    says: 'Request body | 1 MB',
    provedBy: {
      [SURFACES]: ['every operation > $id takes a body of 1 MB and gives 413 to one byte more'],
      [CONTRACTS]: ['the contracts say what the specification says > of the limits'],
      [HTTP_APP]: [
        'the input of an endpoint > may be 1 MB and not one byte more, whether its length is announced or not',
      ],
    },
  },
  {
    at: 'Limits / fullName',
    says: 'fullName | 120 characters',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the limits'],
    },
  },
  {
    at: 'Limits / email',
    says: 'email | 254 characters',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the limits'],
    },
  },
  {
    at: 'Limits / phone',
    says: 'phone | 40 characters',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the limits'],
    },
  },
  {
    at: 'Limits / address',
    says: 'address | 500 characters',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the limits'],
    },
  },
  {
    at: 'Limits / Appointment notes',
    says: 'Appointment notes | 500 characters',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the limits'],
    },
  },
  {
    at: 'Limits / Job status note (inbound)',
    says: 'Job status note (inbound) | 2,000 characters',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the limits'],
    },
  },
  {
    at: 'Limits / Status event note',
    says: 'Status event note | 2,000 characters',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the limits'],
    },
  },
  {
    at: 'Limits / Installer list page size',
    says: 'Installer list page size | 1 to 100, default 50',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the limits'],
      [INSTALLER_APP]: ['GET /partner/v1/jobs > has 50 entries at most unless told otherwise'],
    },
  },
  {
    at: 'Limits / Inbound jobs page size',
    says: 'Inbound jobs page size | 1 to 200, default 50',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the limits'],
      [LIST_CONTRACTOR_JOBS_ROUTE]: ['GET /inbound/jobs > takes %s as %i'],
    },
  },
  {
    at: 'Limits / Assignment membershipIds',
    says: 'Assignment membershipIds | at most 20, unique',
    provedBy: {
      [SURFACES]: [
        'a field > membershipIds is taken with 20 different technicians, and is a 400 with 21 or with one of them twice',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the limits'],
    },
  },
  {
    at: 'Limits / Idempotency-Key header',
    says: 'Idempotency-Key header | 128 characters',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the limits'],
    },
  },
  {
    at: 'Limits / Appointment idempotencyKey',
    says: 'Appointment idempotencyKey | 8 to 160 characters',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the limits'],
    },
  },
  {
    at: 'Limits / Status event occurredAt',
    says: 'Status event occurredAt | at most 5 minutes ahead, 30 days back',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [CONTRACTS]: ['the contracts say what the specification says > of the limits'],
      [VALIDATION]: ['validation > of occurredAt %s at noon says: %s'],
      [STATUS_EVENTS]: [
        'a status event > that occurred too far from now is refused before the job is looked for, and leaves the key unused',
      ],
    },
  },
  {
    at: 'Limits / Webhook timestamp tolerance',
    says: 'Webhook timestamp tolerance | 300 seconds',
    provedBy: {
      [CONTRACTS]: ['the contracts say what the specification says > of the limits'],
      [EXAMPLE_VERIFIER]: ['verifyDelivery > judges a timestamp that is %i ms away'],
    },
  },
  {
    at: 'Limits / Webhook response wait',
    says: 'Webhook response wait | 10 seconds',
    provedBy: {
      [CONTRACTS]: ['the contracts say what the specification says > of the limits'],
      [WEBHOOK_DISPATCHER]: ['the service > ends an attempt that has no complete answer within 10 seconds'],
    },
  },
  {
    at: 'Limits / Webhook attempts',
    says: 'Webhook attempts | 8, backoff from 1 minute doubling, capped at 6 hours',
    provedBy: {
      [CONTRACTS]: ['the contracts say what the specification says > of the limits'],
      [RETRY_SCHEDULE]: [
        'retryWaitMs > waits 1, 2, 4, 8, 16, 32 and 64 minutes, then gives up',
        'retryWaitMs > is never earlier than the schedule, at most 10 % later, and never beyond 6 hours',
      ],
      [DELIVERY_RESULTS]: [
        'the handler of delivery results > takes a delivery through 8 attempts to the dead letter, and the next success clears the health',
      ],
    },
  },
  {
    at: 'Limits',
    says: 'All timestamps are ISO 8601 UTC with a Z suffix; schedules carry an IANA time zone name.',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
      [BOUNDARIES]: [
        'a job > has its schedule set, confirmed and cancelled, one version each, with times in UTC and the IANA zone',
      ],
      [ENVELOPES]: ['renderEnvelope > renders these exact bytes'],
    },
  },
];
