import { fromBinary } from '@bufbuild/protobuf';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { DeliveryAttemptedSchema } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
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
  }),
});

/** How one attempt of a delivery ended, as its dispatcher tells it. */
export type AttemptResult = z.infer<typeof deliveryAttempted>;

/** Reads a `DeliveryAttempted` message; for one that is not complete or makes no sense it says why. */
export function decodeDeliveryAttempted(
  body: Uint8Array,
): { readonly result: AttemptResult } | { readonly malformed: string } {
  let message: unknown;
  try {
    message = fromBinary(DeliveryAttemptedSchema, body);
  } catch {
    return { malformed: 'it is no DeliveryAttempted message' };
  }
  const parsed = deliveryAttempted.safeParse(message);
  if (parsed.success) return { result: parsed.data };
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  return { malformed: faults.join('; ') };
}
