import type { ServiceError } from '../process/service-error.js';

/** An encoded response to a call. */
export interface RpcReply {
  /** Shows whether the call succeeded. */
  readonly type: string;
  /** Absent: it is from or for release 0.1.0. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The error, for logs; its cause is not sent. */
  readonly error?: ServiceError;
}
