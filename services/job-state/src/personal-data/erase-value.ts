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
import { PERSONAL_EVENT_FIELDS } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { z } from 'zod';
import type { ErasedAs } from '../database/table.js';

const ERASED_CUSTOMER = {
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

export type StoredRow = Readonly<Record<string, unknown>>;

/** The URL of a deleted subscription after the erasure. */
const ERASED_URL = 'https://erased.invalid/';

const ERASE: Readonly<Record<ErasedAs, (value: unknown, row: StoredRow) => unknown>> = {
  erased: () => ERASED_TEXT,
  empty: () => '',
  null: () => null,
  'no bytes': () => Buffer.alloc(0),
  id: (_, row) => row['id'],
  url: () => ERASED_URL,
  'actor name': (value) => (String(value).startsWith('operator: ') ? value : ERASED_TEXT),
  customer: () => ERASED_CUSTOMER,
  job: ofText(redactJob),
  outcome: ofText(redactOutcome),
  envelope: ofBytes(redactEnvelope),
  message: ofBytes((body, { type }) => redactMessage(type, body)),
  details: redactDetails,
};

/** Returns what an erasure makes of a value; null stays null. */
export function eraseValue(as: ErasedAs, value: unknown, row: StoredRow): unknown {
  return value === null ? null : ERASE[as](value, row);
}

function ofText(redact: (text: string) => string) {
  return (value: unknown) => (typeof value === 'string' ? redact(value) : value);
}

function ofBytes(redact: (body: Buffer, row: StoredRow) => Buffer) {
  return (value: unknown, row: StoredRow) => (Buffer.isBuffer(value) ? redact(value, row) : value);
}

const { line1, city, state, zip, ...contact } = ERASED_CUSTOMER;

const json = z.record(z.string(), z.unknown());

/** Erases the personal texts of a job as an installer or a contractor sees it, as JSON text, and marks it as redacted. */
function redactJob(text: string): string {
  const job = json.parse(JSON.parse(text));
  const erased =
    'customer' in job
      ? { customer: { ...contact, address: { line1, city, state, zip } } }
      : { address: line1, city, state, zip, installerNote: null };
  return JSON.stringify({ ...job, ...erased, redacted: true });
}

/** Erases the personal texts of a webhook's body and marks it as redacted. A body without any is returned as it is. */
function redactEnvelope(body: Buffer): Buffer {
  const envelope = z.looseObject({ data: json }).parse(JSON.parse(body.toString('utf8')));
  const personal = Object.entries(envelope.data).filter(
    ([name, value]) => PERSONAL_EVENT_FIELDS.has(name) && value !== null,
  );
  if (personal.length === 0) return body;
  const erased = Object.fromEntries(personal.map(([name]) => [name, null]));
  const data = { ...envelope.data, ...erased };
  return Buffer.from(JSON.stringify({ ...envelope, data, redacted: true }), 'utf8');
}

/** Erases the personal texts of a job in the stored outcome of a write. Other outcomes hold ids and codes only. */
function redactOutcome(text: string): string {
  const outcome = z.looseObject({ result: z.unknown() }).parse(JSON.parse(text));
  if (typeof outcome.result !== 'string') return text;
  return JSON.stringify({ ...outcome, result: redactJob(outcome.result) });
}

/** Names of details of the audit trail that can hold texts of a company's people. */
const PERSONAL_DETAILS = new Set(['displayName', 'email', 'description', 'name', 'url']);

function redactDetails(details: unknown): unknown {
  return Object.fromEntries(
    Object.entries(json.parse(details)).filter(([name]) => !PERSONAL_DETAILS.has(name)),
  );
}

function redactMessage(type: unknown, body: Buffer): Buffer {
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
