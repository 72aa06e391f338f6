import { fromBinary } from '@bufbuild/protobuf';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import {
  AttemptOutcomeSchema,
  DeliveriesAttemptedSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { ATTEMPT_OUTCOMES, RESPONSE_HEADER_LIMITS } from '@partner/proto-contracts/resources/attempt/attempt';
import { enumName } from '@partner/proto-contracts/values/enum-names';
import { z } from 'zod';

const int32 = z.int().min(0).max(2_147_483_647);
const EARLIEST_START = new Date('2000-01-01T00:00:00Z');
const LATEST_START = new Date('2100-01-01T00:00:00Z');
/** Postgres cannot store NUL in a text. */
const text = z.string().transform((value) => value.replaceAll('\0', ''));
const instant = z
  .custom<Timestamp>((value) => value !== undefined)
  .transform((timestamp, context) => {
    const date = timestampDate(timestamp);
    if (date >= EARLIEST_START && date < LATEST_START) return date;
    context.addIssue({ code: 'custom', message: 'is not an instant of this century' });
    return z.NEVER;
  });

/** An instant that the endpoint chose, such as the expiry of its certificate. */
const anyInstant = z
  .custom<Timestamp>((value) => value !== undefined)
  .transform((timestamp) => {
    const date = timestampDate(timestamp);
    return Number.isNaN(date.getTime()) ? undefined : date;
  });

/** An optional detail of an attempt. An invalid value is dropped and does not reject the result. */
function lenient<T extends z.ZodType>(schema: T) {
  return schema.optional().catch(undefined);
}

/** The steps of an attempt, as the JSON that is stored, with its certificate. */
const exchange = z
  .object({
    dnsMs: lenient(int32),
    addresses: lenient(z.array(text).max(16)),
    connectMs: lenient(int32),
    tlsMs: lenient(int32),
    tlsProtocol: lenient(text),
    certificateSubject: lenient(text),
    certificateIssuer: lenient(text),
    certificateValidFrom: lenient(anyInstant),
    certificateValidTo: lenient(anyInstant),
    reusedConnection: lenient(z.boolean()),
    firstByteMs: lenient(int32),
  })
  .transform((given) => ({ json: JSON.stringify(given), certificate: certificateOf(given) }));

export interface CertificateValidity {
  /** Undefined if it is unknown. */
  readonly validFrom: Date | undefined;
  readonly validTo: Date;
}

/** The endpoint chooses both instants. A certificate that does not end in this century has no end worth announcing. */
function certificateOf(given: {
  readonly certificateValidFrom?: Date | undefined;
  readonly certificateValidTo?: Date | undefined;
}): CertificateValidity | undefined {
  const [validFrom, validTo] = [given.certificateValidFrom, given.certificateValidTo].map((at) =>
    at !== undefined && at >= EARLIEST_START && at < LATEST_START ? at : undefined,
  );
  return validTo === undefined ? undefined : { validFrom, validTo };
}

/** The stored headers of a response, as JSON. */
const responseHeaders = z
  .object({ headers: z.array(z.object({ name: text, value: text })).max(RESPONSE_HEADER_LIMITS.headers) })
  .transform(({ headers }) => JSON.stringify(headers));

/** An unknown outcome, from a newer dispatcher, counts as a failure of unknown kind. */
const outcome = z
  .number()
  .transform((given) => enumName(AttemptOutcomeSchema, ATTEMPT_OUTCOMES, given) ?? 'connection_failed');

const deliveryAttempted = z.object({
  deliveryId: text,
  leaseId: text,
  urlVersion: int32,
  retryAfterSeconds: lenient(int32),
  attempt: z.object({
    deliveryId: text,
    number: z.int().min(1).max(LIMITS.webhookAttempts),
    startedAt: instant,
    durationMs: int32.catch(0),
    outcome,
    responseStatus: lenient(z.int().min(100).max(999)),
    responseHeaders: lenient(responseHeaders),
    responseBody: lenient(z.instanceof(Uint8Array)),
    error: lenient(text),
    remoteAddress: lenient(text),
    secretVersion: int32,
    exchange: lenient(exchange),
  }),
});

/** How one attempt of a delivery ended, as its dispatcher reports it. */
export type AttemptResult = z.infer<typeof deliveryAttempted>;

/**
 * Reads the results of a `DeliveriesAttempted` message.
 *
 * `malformed` describes the results that lack the delivery, the attempt, its start or its end, and an empty message. Nothing
 * that an endpoint can choose makes a result malformed: its delivery would be attempted forever.
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
  const violations: string[] = [];
  for (const [index, one] of given.entries()) {
    const parsed = deliveryAttempted.safeParse(one);
    if (parsed.success) results.push(parsed.data);
    else {
      violations.push(
        ...parsed.error.issues.map((issue) => `results.${index}.${issue.path.join('.')}: ${issue.message}`),
      );
    }
  }
  return { results, malformed: violations.length === 0 ? undefined : violations.join('; ') };
}
