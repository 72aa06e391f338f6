import type { JsonValue } from '@bufbuild/protobuf';
import type { Attempt, ATTEMPT_OUTCOMES } from '@partner/proto-contracts/resources/attempt/attempt';
import { column, type RowOf, selectList } from '../../database/columns.js';

export type AttemptOutcomeName = (typeof ATTEMPT_OUTCOMES)[number];

const SUMMARY = {
  attemptId: column<string>('id', 'text'),
  number: column<number>('number', 'integer'),
  startedAt: column<Date>('started_at', 'timestamptz'),
  durationMs: column<number>('duration_ms', 'integer'),
  outcome: column<AttemptOutcomeName>('outcome', 'text'),
  responseStatus: column<number | null>('response_status', 'integer'),
  error: column<string | null>('error', 'text'),
} as const;

const PUBLIC = {
  ...SUMMARY,
  responseHeaders: column<Attempt['responseHeaders']>('response_headers', 'json'),
  responseBody: column<Buffer | null>('response_body', 'bytea'),
  remoteAddress: column<string | null>('remote_address', 'text'),
  secretVersion: column<number>('secret_version', 'integer'),
  /** An `ExchangeTrace` as JSON. A fact that is only shown, and that no statement selects by, belongs in it. */
  exchange: column<JsonValue>('exchange', 'json'),
} as const;

/** The columns of `delivery_attempts`, apart from the time of the record. */
export const ATTEMPT = { deliveryId: column<string>('delivery_id', 'text'), ...PUBLIC } as const;

export type AttemptSummaryRow = RowOf<typeof SUMMARY>;
export type AttemptRow = RowOf<typeof PUBLIC>;

/** Columns of an {@link AttemptSummaryRow}, from `delivery_attempts a`. */
export const ATTEMPT_SUMMARY_COLUMNS = selectList(SUMMARY, 'a');
/** Columns of an {@link AttemptRow}, from `delivery_attempts a`. */
export const ATTEMPT_COLUMNS = selectList(PUBLIC, 'a');
