import { v7 as uuidv7 } from 'uuid';
import { isRequestId } from './request-context.js';

/**
 * Returns the request id for responses, logs, traces and messages: the caller's if it is well-formed, else a new
 * UUIDv7.
 */
export function requestIdFrom(header: string | undefined): string {
  return header !== undefined && isRequestId(header) ? header : uuidv7();
}
