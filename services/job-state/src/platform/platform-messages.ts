import { type DescMessage, fromBinary, isMessage, type Message } from '@bufbuild/protobuf';
import { type Timestamp, timestampDate, TimestampSchema } from '@bufbuild/protobuf/wkt';
import {
  JobAssignedSchema,
  JobCreatedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import { type IdPrefix, isId } from '@partner/runtime/ids';
import { z } from 'zod';

const NAME_LENGTH = 120;
const PHONE_LENGTH = 40;
/** Of each part of an address, and of each text of a scope. */
const TEXT_LENGTH = 200;
const WORK_ORDER_LENGTH = 60;
const LIST_LENGTH = 200;
/** An instant outside of these is a fault of the sender's clock or units. */
const EARLIEST_MS = Date.UTC(2000, 0, 1);
const AHEAD_MS = 3_600_000;

const text = (length: number) =>
  z
    .string({ error: 'is missing' })
    .min(1, 'is empty')
    .max(length, `is longer than ${length} characters`)
    .refine((value) => !value.includes('\u0000'), 'holds the character U+0000');
const optionalText = (length: number) =>
  text(length)
    .optional()
    .transform((value) => value ?? null);
const list = <Item extends z.ZodType>(item: Item) =>
  z.array(item).max(LIST_LENGTH, `holds more than ${LIST_LENGTH}`);
const count = z.int({ error: 'is missing' }).min(0);
const id = (prefix: IdPrefix) =>
  text(TEXT_LENGTH).refine((value) => isId(prefix, value), `is not an id with the prefix ${prefix}_`);
const instant = z
  .custom<Timestamp>((value) => isMessage(value, TimestampSchema), 'is missing')
  .transform(timestampDate)
  .refine((date) => date.getTime() >= EARLIEST_MS, 'is no instant after the year 1999');

const scopeItem = z.object({
  name: text(TEXT_LENGTH),
  model: optionalText(TEXT_LENGTH),
  quantity: count,
});

/** A job that a sales company has sold, as the platform tells it. */
const jobCreated = z.object({
  jobId: id('job'),
  sellingCompanyId: id('cmp'),
  projectId: id('prj').optional(),
  workOrderNo: optionalText(WORK_ORDER_LENGTH),
  customer: z.object(
    {
      name: text(NAME_LENGTH),
      phone: text(PHONE_LENGTH),
      line1: text(TEXT_LENGTH),
      city: text(TEXT_LENGTH),
      state: text(TEXT_LENGTH),
      zip: text(TEXT_LENGTH),
    },
    'is missing',
  ),
  scope: z.object(
    {
      packageName: text(TEXT_LENGTH),
      systemType: text(TEXT_LENGTH),
      equipment: list(scopeItem),
      accessories: list(scopeItem),
      supplierSources: list(z.object({ name: text(TEXT_LENGTH), reference: optionalText(TEXT_LENGTH) })),
      scopeVersion: count,
    },
    'is missing',
  ),
  occurredAt: instant,
});

/** A job that was given to an installer company, as the platform tells it. */
const jobAssigned = z.object({ jobId: id('job'), installerCompanyId: id('cmp'), occurredAt: instant });

export type JobCreatedCommand = z.infer<typeof jobCreated>;
export type JobAssignedCommand = z.infer<typeof jobAssigned>;

/** A message of the platform that has the form of its contract, or what is wrong with it. */
export type PlatformMessage =
  | { readonly kind: 'job_created'; readonly command: JobCreatedCommand }
  | { readonly kind: 'job_assigned'; readonly command: JobAssignedCommand }
  | { readonly kind: 'malformed'; readonly reason: string };

/**
 * Reads a message of the platform by its type, the full protobuf name. Says of a malformed one which field is at fault, and
 * never what it holds. An instant that is more than an hour ahead of `now` is malformed too.
 */
export function readPlatformMessage(type: string, body: Uint8Array, now: Date): PlatformMessage {
  switch (type) {
    case JobCreatedSchema.typeName: {
      const read = decode(JobCreatedSchema, jobCreated, body, now);
      return read.kind === 'malformed' ? read : { kind: 'job_created', command: read.command };
    }
    case JobAssignedSchema.typeName: {
      const read = decode(JobAssignedSchema, jobAssigned, body, now);
      return read.kind === 'malformed' ? read : { kind: 'job_assigned', command: read.command };
    }
    default:
      return { kind: 'malformed', reason: `unknown message type ${JSON.stringify(type.slice(0, 200))}` };
  }
}

function decode<Command extends { readonly occurredAt: Date }>(
  schema: DescMessage,
  form: z.ZodType<Command>,
  body: Uint8Array,
  now: Date,
):
  | { readonly kind: 'read'; readonly command: Command }
  | { readonly kind: 'malformed'; readonly reason: string } {
  let message: Message;
  try {
    message = fromBinary(schema, body);
  } catch {
    return { kind: 'malformed', reason: `the body is no ${schema.typeName}` };
  }
  const result = form.safeParse(message);
  if (result.success && result.data.occurredAt.getTime() > now.getTime() + AHEAD_MS)
    return { kind: 'malformed', reason: `${schema.typeName}: occurredAt is more than 1 h ahead` };
  if (result.success) return { kind: 'read', command: result.data };
  const faults = result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  return { kind: 'malformed', reason: `${schema.typeName}: ${faults.join('; ')}` };
}
