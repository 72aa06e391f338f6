/** Limits of the specification's section Limits, each in its unit. */
export const LIMITS = {
  /** With an API key. */
  bodyBytes: 1_048_576,
  /** In the console, unless the operation has its own limit. */
  consoleBodyBytes: 8_192,
  installerRequestsPerMinute: 60,
  inboundRequestsPerMinute: 600,
  consoleRequestsPerMinute: 3_000,
  automationRequestsPerMinute: 600,
  /** Of a client without a session, to the operations of the console that need none. */
  consoleRequestsWithoutSessionPerMinute: 300,
  urlChecksPerMinute: 60,
  installerPageSize: { default: 50, max: 100 },
  inboundPageSize: { default: 50, max: 200 },
  techniciansPageSize: { default: 2_000, max: 2_000 },
  idempotencyKeyLength: 128,
  noteLength: 2_000,
  /** Total length of all notes of one job, in characters. */
  installerNoteLength: 20_000,
  appointmentNotesLength: 500,
  appointmentIdempotencyKeyLength: { min: 8, max: 160 },
  assignmentMembershipIds: 20,
  /** For appointments and schedules, and for every time in a message of the platform. */
  acceptedYears: { min: 2000, max: 2100 },
  occurredAtAheadMs: 5 * 60_000,
  occurredAtBackMs: 30 * 24 * 3_600_000,
  idempotencyRetentionDays: 45,
  webhookTimestampToleranceSeconds: 300,
  webhookTimeoutMs: 10_000,
  webhookAttempts: 8,
  webhookBackoffCapMs: 6 * 3_600_000,
} as const;

export const WEBHOOK_LIMITS = {
  subscriptionsPerCompany: 50,
  testsPerSubscription: 10,
  testsPerCompany: 60,
  testWindowSeconds: 60,
  /** A test of another URL allows the switch to it for this long after it was accepted. */
  testedUrlMinutes: 15,
  /** Attempts of this many minutes count for the health. */
  healthMinutes: 60,
  /** Fewer failed attempts do not make a subscription degraded. */
  healthFailures: 3,
  /** After this many failed attempts in a row an endpoint is failing, until an attempt is delivered. */
  failingAfter: 5,
  deliveriesPerSecond: 1_000,
} as const;

/** Waiting deliveries of one subscription are counted up to this number. */
export const WAITING_COUNTED = 1_000;
