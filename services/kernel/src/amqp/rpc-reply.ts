import type { ServiceError } from '../process/service-error.js';

/** An encoded response to a call. */
export interface RpcReply {
  /** Shows whether the call succeeded. Of a protobuf response: the name of its message. */
  readonly type: string;
  /** Absent: protobuf. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The error, for logs; its cause is not sent. */
  readonly error?: ServiceError;
}
