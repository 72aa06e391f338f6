import { type DescMessage, fromBinary, type MessageShape, toBinary, toJson } from '@bufbuild/protobuf';
import { JobNoteAddedSchema } from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import { JobStatusChangedSchema } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { AppointmentBookedSchema } from '@partner/proto-contracts/gen/partner/leads/v1/appointment_service_pb';
import {
  LeadCreatedSchema,
  LeadMergedSchema,
} from '@partner/proto-contracts/gen/partner/leads/v1/lead_service_pb';
import { MembershipChangedSchema } from '@partner/proto-contracts/gen/partner/platform/v1/company_messages_pb';
import { JobCreatedSchema } from '@partner/proto-contracts/gen/partner/platform/v1/job_messages_pb';
import { AppointmentScheduledSchema } from '@partner/proto-contracts/gen/partner/platform/v1/sales_messages_pb';
import { ERASED_TEXT } from '@partner/proto-contracts/values/redacted';

/** The customer of a job after the erasure. */
export const ERASED_CUSTOMER = {
  name: ERASED_TEXT,
  phone: ERASED_TEXT,
  line1: ERASED_TEXT,
  city: ERASED_TEXT,
  state: ERASED_TEXT,
  zip: ERASED_TEXT,
} as const;

interface PersonalMessage {
  readonly typeName: string;
  redact(body: Buffer): Buffer;
  show(body: Buffer): unknown;
}

/** The message stays valid. */
const ERASED_EMAIL = 'erased@erased.invalid';
const PERSON = { fullName: ERASED_TEXT, email: ERASED_TEXT, phone: ERASED_TEXT, address: ERASED_TEXT };

/** Every message to or from the platform that can hold personal data, by its full protobuf name. */
const MESSAGES: ReadonlyMap<string, PersonalMessage> = new Map(
  [
    personal(LeadCreatedSchema, (message) => Object.assign(message, PERSON)),
    personal(LeadMergedSchema, (message) => Object.assign(message, PERSON)),
    personal(AppointmentBookedSchema, (message) => Object.assign(message, { notes: undefined })),
    personal(AppointmentScheduledSchema, (message) => Object.assign(message, { notes: undefined })),
    personal(JobStatusChangedSchema, (message) => Object.assign(message, { note: undefined })),
    personal(JobNoteAddedSchema, (message) => Object.assign(message, { note: ERASED_TEXT })),
    personal(MembershipChangedSchema, (message) => {
      Object.assign(message, { displayName: ERASED_TEXT, email: message.email && ERASED_EMAIL });
    }),
    personal(JobCreatedSchema, ({ customer }) => customer && Object.assign(customer, ERASED_CUSTOMER)),
  ].map((message) => [message.typeName, message]),
);

function personal<Desc extends DescMessage>(
  schema: Desc,
  erase: (message: MessageShape<Desc>) => unknown,
): PersonalMessage {
  return {
    typeName: schema.typeName,
    redact(body: Buffer): Buffer {
      // Unknown fields can hold anything.
      const message = fromBinary(schema, body, { readUnknownFields: false });
      erase(message);
      return Buffer.from(toBinary(schema, message));
    },
    show: (body: Buffer): unknown => toJson(schema, fromBinary(schema, body)),
  };
}

/** Erases the personal texts of a message that waits in the outbox or the inbox. */
export function redactMessage(type: unknown, body: Buffer): Buffer {
  return MESSAGES.get(String(type))?.redact(body) ?? body;
}

/** The company whose text a message holds; undefined: of each company that it names. */
export function ownerOf(type: unknown, body: Buffer): string | undefined {
  return type === JobNoteAddedSchema.typeName
    ? fromBinary(JobNoteAddedSchema, body).sellingCompanyId
    : undefined;
}

/** Shows a message as JSON; null for one that holds no personal data. */
export function showMessage(type: unknown, body: Buffer): unknown {
  return MESSAGES.get(String(type))?.show(body) ?? null;
}
