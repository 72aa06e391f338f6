import { type DescMessage, fromBinary, isMessage, type Message } from '@bufbuild/protobuf';
import { type Timestamp, timestampDate, TimestampSchema } from '@bufbuild/protobuf/wkt';
import {
  JobAssignedSchema,
  JobCreatedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import { type IdPrefix, isId } from '@partner/runtime/ids';
import { z } from 'zod';

const text = z
  .string({ error: 'is missing' })
  .min(1, 'is empty')
  .refine((value) => !value.includes('\u0000'), 'holds the character U+0000');
const optionalText = text.optional().transform((value) => value ?? null);
const count = z.int({ error: 'is missing' }).min(0);
const id = (prefix: IdPrefix) =>
  text.refine((value) => isId(prefix, value), `is not an id with the prefix ${prefix}_`);
const instant = z
  .custom<Timestamp>((value) => isMessage(value, TimestampSchema), 'is missing')
  .transform(timestampDate);

const scopeItem = z.object({ name: text, model: optionalText, quantity: count });

/** A job that a sales company has sold, as the platform tells it. */
const jobCreated = z.object({
  jobId: id('job'),
  sellingCompanyId: id('cmp'),
  projectId: id('prj').optional(),
  workOrderNo: optionalText,
  customer: z.object(
    { name: text, phone: text, line1: text, city: text, state: text, zip: text },
    'is missing',
  ),
  scope: z.object(
    {
      packageName: text,
      systemType: text,
      equipment: z.array(scopeItem),
      accessories: z.array(scopeItem),
      supplierSources: z.array(z.object({ name: text, reference: optionalText })),
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
 * never what it holds.
 */
export function readPlatformMessage(type: string, body: Uint8Array): PlatformMessage {
  switch (type) {
    case JobCreatedSchema.typeName: {
      const read = decode(JobCreatedSchema, jobCreated, body);
      return read.kind === 'malformed' ? read : { kind: 'job_created', command: read.command };
    }
    case JobAssignedSchema.typeName: {
      const read = decode(JobAssignedSchema, jobAssigned, body);
      return read.kind === 'malformed' ? read : { kind: 'job_assigned', command: read.command };
    }
    default:
      return { kind: 'malformed', reason: `unknown message type ${JSON.stringify(type.slice(0, 200))}` };
  }
}

function decode<Command>(
  schema: DescMessage,
  form: z.ZodType<Command>,
  body: Uint8Array,
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
  if (result.success) return { kind: 'read', command: result.data };
  const faults = result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  return { kind: 'malformed', reason: `${schema.typeName}: ${faults.join('; ')}` };
}
