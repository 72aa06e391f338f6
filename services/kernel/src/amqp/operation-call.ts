import {
  CALL_CONTENT_TYPE,
  callError,
  type CallOutcome,
  callOutcome,
  type OperationCall,
} from '@partner/proto-contracts/call';
import { isErrorReason } from '@partner/proto-contracts/api/error-reasons';
import { ServiceError } from '../process/service-error.js';
import { checkMessageSize } from './message-size.js';
import { notCarriedOut } from './rpc-error.js';

const OUTCOME_HEADER = 'x-outcome';

export interface RpcReply {
  readonly type: string;
  /** Absent: it is from or for release 0.1.0. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly error?: ServiceError;
}

export interface OperationReply extends CallOutcome {
  /** Empty for a response without a body. */
  readonly json: string;
}

export function encodeCall(call: OperationCall): Uint8Array {
  return Buffer.from(JSON.stringify(call));
}

/** Encodes a successful reply. Throws if it is more than 8 MiB. */
export function encodeReply(operationId: string, { json, ...outcome }: OperationReply): RpcReply {
  const body = Buffer.from(json);
  checkMessageSize(`the response of ${operationId}`, body);
  const said = JSON.stringify(outcome);
  return {
    type: 'ok',
    contentType: CALL_CONTENT_TYPE,
    ...(said !== '{}' && { headers: { [OUTCOME_HEADER]: said } }),
    body,
  };
}

/** Encodes the public part of an error; its cause is not sent. */
export function encodeFailure(error: ServiceError): RpcReply {
  const body = JSON.stringify({ ...error.attributes, reason: error.reason, message: error.message });
  return { type: 'error', contentType: CALL_CONTENT_TYPE, body: Buffer.from(body), error };
}

/**
 * Reads the reply to a call, or throws the error that it holds. A reply in another form is from release 0.1.0, which carries out no call
 * that it does not know: the call fails with `unavailable`.
 */
export function readReply(operationId: string, reply: Omit<RpcReply, 'error'>): OperationReply {
  if (reply.contentType !== CALL_CONTENT_TYPE) {
    throw notCarriedOut(new Error(`the service is of an earlier release and does not know ${operationId}`));
  }
  const text = Buffer.from(reply.body.buffer, reply.body.byteOffset, reply.body.byteLength).toString();
  if (reply.type !== 'ok') throw readFailure(text);
  const outcome = reply.headers?.[OUTCOME_HEADER];
  return outcome === undefined ? { json: text } : { ...callOutcome.parse(JSON.parse(outcome)), json: text };
}

function readFailure(text: string): ServiceError {
  const { reason, message, ...attributes } = callError.parse(JSON.parse(text));
  return isErrorReason(reason)
    ? new ServiceError(reason, message, attributes)
    : ServiceError.from(new Error(`the reason "${reason}" is unknown: ${message}`));
}
