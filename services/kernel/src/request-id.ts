import { v7 as uuidv7 } from 'uuid';
import { isRequestId } from './request-context.js';

/** The id of a request in answers, logs, traces and messages: the caller's when it has the right form, else a new UUIDv7. */
export function requestIdFrom(header: string | undefined): string {
  return header !== undefined && isRequestId(header) ? header : uuidv7();
}
