import { fromBinary } from '@bufbuild/protobuf';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import {
  type DeliverWebhook,
  DeliverWebhooksSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { z } from 'zod';

const instant = z.custom<Timestamp>((value) => value !== undefined, 'is missing').transform(timestampDate);
const headerSafe = z.string().regex(/^[\x21-\x7e]+$/, 'cannot be sent in a header');

/** What the result of a malformed command repeats. */
const reportable = z.object({
  deliveryId: z.string(),
  leaseId: z.string(),
  leaseExpiresAt: instant.optional(),
  attempt: z.int().default(1),
  urlVersion: z.int().default(0),
  secretVersion: z.int().default(0),
});

const deliveryCommand = z.object({
  deliveryId: z.string(),
  subscriptionId: headerSafe,
  leaseId: z.string(),
  /** Absent if the sender is a version that does not set it. */
  leasedAt: instant.optional(),
  leaseExpiresAt: instant,
  /** 1 to 8. */
  attempt: z.int(),
  url: z.string(),
  urlVersion: z.int(),
  eventId: headerSafe,
  event: headerSafe,
  isTest: z.boolean().default(false),
  /** Number of the event among those of the subscription, a decimal text; absent for a test. */
  number: z.string().optional(),
  body: z.instanceof(Uint8Array),
  secretVersion: z.int(),
  sealedSecret: z.instanceof(Uint8Array),
  /** Absent without custom headers. */
  sealedHeaders: z.instanceof(Uint8Array).optional(),
  /** W3C trace context of the event. */
  traceParent: z.string().optional(),
  /** Id of the request that caused the event. */
  requestId: z.string().optional(),
});

/** A decoded `DeliverWebhook` command, with all inputs of an attempt. */
export type DeliveryCommand = Readonly<z.infer<typeof deliveryCommand>>;

/** The fields of a command that its result repeats. */
export type ReportableCommand = Readonly<z.infer<typeof reportable>>;

/** A command that can never be executed. */
export interface MalformedCommand {
  readonly reason: string;
  /** Identifies the command in a result; absent if the command does not name its delivery and lease. */
  readonly reportable: ReportableCommand | undefined;
}

/** One command of a message, or why it is malformed. */
export type ReadCommand = { readonly command: DeliveryCommand } | { readonly malformed: MalformedCommand };

/** Decodes the commands of a `DeliverWebhooks` message; empty if the message is of another type or empty. */
export function readDeliveryCommands(bytes: Uint8Array): readonly ReadCommand[] {
  try {
    return fromBinary(DeliverWebhooksSchema, bytes).deliveries.map(readDeliveryCommand);
  } catch {
    return [];
  }
}

function readDeliveryCommand(message: DeliverWebhook): ReadCommand {
  const parsed = deliveryCommand.safeParse(message);
  if (parsed.success) return { command: parsed.data };
  const violations = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  const reason = `the DeliverWebhook is malformed: ${violations.join('; ')}`;
  return { malformed: { reason, reportable: reportable.safeParse(message).data } };
}
