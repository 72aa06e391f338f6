import { ERASED_TEXT } from '@partner/proto-contracts/values/redacted';
import type { ErasedAs } from '../database/table.js';
import { redactMessage } from './redact-message.js';
import { ERASED_CUSTOMER, redactDetails, redactEnvelope, redactJob, redactOutcome } from './redact.js';

/** A row as Postgres returns it. */
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
