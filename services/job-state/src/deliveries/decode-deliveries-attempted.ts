import { fromBinary } from '@bufbuild/protobuf';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { DeliveriesAttemptedSchema } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { LIMITS } from '@partner/proto-contracts/public-api/limits';
import { z } from 'zod';
import { attemptOutcomeName } from './delivery-message.js';

const int32 = z.int().min(0).max(2_147_483_647);
const EARLIEST_START = new Date('2000-01-01T00:00:00Z');
const LATEST_START = new Date('2100-01-01T00:00:00Z');
/** Postgres keeps no NUL in a text. */
const text = z.string().transform((value) => value.replaceAll('\0', ''));
const instant = z
  .custom<Timestamp>((value) => value !== undefined)
  .transform((timestamp, context) => {
    const date = timestampDate(timestamp);
    if (date >= EARLIEST_START && date < LATEST_START) return date;
    context.addIssue({ code: 'custom', message: 'is not an instant of this century' });
    return z.NEVER;
  });

/** What is kept of the steps of an attempt, as the JSON that is stored. */
const exchange = z
  .object({
    dnsMs: int32.optional(),
    addresses: z.array(text).max(16).optional(),
    connectMs: int32.optional(),
    tlsMs: int32.optional(),
    tlsProtocol: text.optional(),
    certificateSubject: text.optional(),
    certificateIssuer: text.optional(),
    certificateValidTo: instant.optional(),
    reusedConnection: z.boolean().optional(),
    firstByteMs: int32.optional(),
  })
  .transform((given) => JSON.stringify(given));

const deliveryAttempted = z.object({
  deliveryId: text,
  leaseId: text,
  urlVersion: int32,
  retryAfterSeconds: int32.optional(),
  attempt: z.object({
    deliveryId: text,
    number: z.int().min(1).max(LIMITS.webhookAttempts),
    startedAt: instant,
    durationMs: int32,
    outcome: z.enum(AttemptOutcome).transform((outcome, context) => {
      const name = attemptOutcomeName(outcome);
      if (name !== undefined) return name;
      context.addIssue({ code: 'custom', message: 'is not known' });
      return z.NEVER;
    }),
    responseStatus: z.int().min(100).max(999).optional(),
    responseBody: z.instanceof(Uint8Array).optional(),
    error: text.optional(),
    remoteAddress: text.optional(),
    secretVersion: int32,
    exchange: exchange.optional(),
  }),
});

/** How one attempt of a delivery ended, as its dispatcher tells it. */
export type AttemptResult = z.infer<typeof deliveryAttempted>;

/**
 * Reads the results of a `DeliveriesAttempted` message. `malformed` says what is wrong with those that are not complete or
 * make no sense, and of a message that holds none.
 */
export function decodeDeliveriesAttempted(body: Uint8Array): {
  readonly results: readonly AttemptResult[];
  readonly malformed: string | undefined;
} {
  let given: readonly unknown[];
  try {
    given = fromBinary(DeliveriesAttemptedSchema, body).results;
  } catch {
    return { results: [], malformed: 'it is no DeliveriesAttempted message' };
  }
  if (given.length === 0) return { results: [], malformed: 'it has no results' };
  const results: AttemptResult[] = [];
  const faults: string[] = [];
  for (const [index, one] of given.entries()) {
    const parsed = deliveryAttempted.safeParse(one);
    if (parsed.success) results.push(parsed.data);
    else {
      faults.push(
        ...parsed.error.issues.map((issue) => `results.${index}.${issue.path.join('.')}: ${issue.message}`),
      );
    }
  }
  return { results, malformed: faults.length === 0 ? undefined : faults.join('; ') };
}
