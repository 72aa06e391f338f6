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
import { exchange, int32, isOfThisCentury, lenient, text } from '../deliveries/exchange-steps.js';

const instant = z
  .custom<Timestamp>((value) => value !== undefined)
  .transform((timestamp, context) => {
    const date = timestampDate(timestamp);
    if (isOfThisCentury(date)) return date;
    context.addIssue({ code: 'custom', message: 'is not an instant of this century' });
    return z.NEVER;
  });

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
    return { results: [], malformed: 'it is not a DeliveriesAttempted message' };
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
