import { v7 as uuidv7 } from 'uuid';

/** The id of a request in answers, logs, traces and messages: the caller's when it has the right form, else a new UUIDv7. */
export function requestIdFrom(header: string | undefined): string {
  return header !== undefined && /^[A-Za-z0-9._:-]{1,128}$/.test(header) ? header : uuidv7();
}
