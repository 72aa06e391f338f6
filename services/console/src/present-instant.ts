import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { formatDateTime } from '@partner/proto-contracts/public-api/date-time';
import { requiredField } from './required-field.js';

/** An instant that job-state always gives, as every answer shows it. Throws when it is left out. */
export function presentInstant(instant: Timestamp | undefined, name: string): string {
  return formatDateTime(timestampDate(requiredField(instant, name)));
}

/** An instant that there may not be, as every answer shows it. */
export function presentOptionalInstant(instant: Timestamp | undefined): string | null {
  return instant === undefined ? null : formatDateTime(timestampDate(instant));
}
