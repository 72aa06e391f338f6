import { fromBinary } from '@bufbuild/protobuf';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import {
  AttemptOutcomeSchema,
  DeliveriesAttemptedSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { LIMITS } from '@partner/proto-contracts/public-api/limits';
import { ATTEMPT_OUTCOMES } from '@partner/proto-contracts/public-api/webhook-delivery';
import { z } from 'zod';

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

/** Whatever an endpoint chose, such as the end of its certificate. */
const anyInstant = z
  .custom<Timestamp>((value) => value !== undefined)
  .transform((timestamp) => {
    const date = timestampDate(timestamp);
    return Number.isNaN(date.getTime()) ? undefined : date;
  });

/** What is told of an attempt beside its end: what makes no sense is left out and refuses nothing. */
function told<T extends z.ZodType>(schema: T) {
  return schema.optional().catch(undefined);
}

/** What is kept of the steps of an attempt, as the JSON that is stored. */
const exchange = z
  .object({
    dnsMs: told(int32),
    addresses: told(z.array(text).max(16)),
    connectMs: told(int32),
    tlsMs: told(int32),
    tlsProtocol: told(text),
    certificateSubject: told(text),
    certificateIssuer: told(text),
    certificateValidTo: told(anyInstant),
    reusedConnection: told(z.boolean()),
    firstByteMs: told(int32),
  })
  .transform((given) => JSON.stringify(given));

/** An outcome that a newer dispatcher knows is a failure whose kind is not known here. */
const outcome = z.number().transform((given) => {
  const value = AttemptOutcomeSchema.values.find(({ number }) => number === given);
  const name = value?.localName.toLowerCase();
  return ATTEMPT_OUTCOMES.find((known) => known === name) ?? 'connection_failed';
});

const deliveryAttempted = z.object({
  deliveryId: text,
  leaseId: text,
  urlVersion: int32,
  retryAfterSeconds: told(int32),
  attempt: z.object({
    deliveryId: text,
    number: z.int().min(1).max(LIMITS.webhookAttempts),
    startedAt: instant,
    durationMs: int32.catch(0),
    outcome,
    responseStatus: told(z.int().min(100).max(999)),
    responseBody: told(z.instanceof(Uint8Array)),
    error: told(text),
    remoteAddress: told(text),
    secretVersion: int32,
    exchange: told(exchange),
  }),
});

/** How one attempt of a delivery ended, as its dispatcher tells it. */
export type AttemptResult = z.infer<typeof deliveryAttempted>;

/**
 * Reads the results of a `DeliveriesAttempted` message. `malformed` says what is wrong with those that do not say which
 * attempt of which delivery they are of, when it began and that it ended, and of a message that holds none. Nothing that an
 * endpoint can choose makes a result malformed: its delivery would be attempted for ever.
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
