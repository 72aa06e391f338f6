import { z } from 'zod';
import { companyClass } from './values/company-class.js';
import { role } from './api/roles.js';

/**
 * Content type of a call between services, and of its reply. A message without it is not a call: release 0.1.0 called by protobuf and
 * set none.
 */
export const CALL_CONTENT_TYPE = 'application/vnd.partner.call+json';

/** The client of a request, for the audit trail. */
const client = { remoteAddress: z.string().optional(), userAgent: z.string().optional() };

const company = { companyId: z.string(), companyClass };

/**
 * On whose behalf a call is made. A gateway, the console or `partnerctl` has authenticated the caller; the broker's permissions decide who
 * may name which kind.
 */
const caller = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('key'),
    ...company,
    ...client,
    keyId: z.string(),
    /** For an installer-contractor key: the installer company that it is bound to. */
    boundCompanyId: z.string().optional(),
  }),
  z.object({
    kind: z.literal('owner'),
    ...company,
    ...client,
    membershipId: z.string(),
    displayName: z.string(),
    role,
  }),
  z.object({
    kind: z.literal('operator'),
    name: z.string(),
    /** The company that the call is about, if it is about one. */
    companyId: z.string().optional(),
    companyClass: companyClass.optional(),
  }),
  /** The calling service itself, before it has authenticated anyone. */
  z.object({ kind: z.literal('service') }),
]);

export type Caller = z.infer<typeof caller>;

/** What binds a write to its first use (spec: Idempotency rules). */
const callIdempotency = z.object({
  key: z.string(),
  /** Method and path, e.g. `POST /partner/v1/jobs/job_01j…/status-events`. */
  request: z.string(),
  /** SHA-256 of the canonical body as sent, in hexadecimal. */
  bodySha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/**
 * A call of an operation; its id is the `type` of the message. Fields are only added, and a reader ignores unknown ones, because
 * versions are mixed during every upgrade.
 */
export const operationCall = z.object({
  caller,
  params: z.record(z.string(), z.string()).default({}),
  /** As sent, in the form of the current version. */
  query: z.unknown().optional(),
  /** As the operation's schema returned it. */
  body: z.unknown().optional(),
  /** Start of the page, from the signed cursor of the query. */
  after: z.string().optional(),
  idempotencyKey: callIdempotency.optional(),
});

export type OperationCall = z.input<typeof operationCall>;

const idempotencyMark = z.object({
  replayed: z.boolean(),
  expiresAt: z.iso.datetime().transform((text) => new Date(text)),
});

/** What a reply says besides its body. It is the header `x-outcome` of the message, as JSON; without it nothing. */
export const callOutcome = z.object({
  /** For an operation with several successful responses. */
  status: z.int().optional(),
  idempotency: idempotencyMark.optional(),
  next: z.string().optional(),
  hasMore: z.boolean().optional(),
});

export type CallOutcome = z.infer<typeof callOutcome>;

/** The body of a failed call. A caller treats an unknown reason as `internal`. */
export const callError = z.object({
  reason: z.string(),
  message: z.string(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  currentVersion: z.int().optional(),
  currentStatus: z.string().optional(),
  allowed: z.array(z.string()).optional(),
  retryAfterSeconds: z.int().optional(),
  idempotency: idempotencyMark.optional(),
  isOfCaller: z.boolean().optional(),
});
