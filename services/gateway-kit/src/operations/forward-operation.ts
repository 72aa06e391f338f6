import type { Caller, OperationCall } from '@partner/proto-contracts/call';
import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import type { OperationReply } from '@partner/kernel/amqp/operation-call';
import { invariant } from '@partner/kernel/process/invariant';
import { z } from 'zod';
import {
  type AnyEndpoint,
  type EndpointRequest,
  type EndpointResponse,
  serveOperation,
} from '../http/endpoint.js';
import { idempotencyHeaders } from '../http/error-response.js';

type Request<Principal> = EndpointRequest<Principal, unknown, unknown>;

export interface Forwarding<Principal> {
  readonly operations: Pick<OperationClient, 'call'>;
  readonly callerOf: (request: Request<Principal>) => Caller;
}

/** Codec of the signed cursors of one list. A position is a text of job-state. */
export interface PositionCursor {
  encode(companyId: string, position: string): string;
  /** Throws `cursor_invalid` unless the cursor was issued to this company. */
  decode(companyId: string, cursor: string): string;
}

/**
 * Serves an operation by forwarding it: job-state validates the call again and runs its use case, and its JSON is the response. The
 * response has the one successful status of the operation, or the one that job-state names.
 */
function forwardOperation<Principal>(
  operation: AnyOperation,
  forwarding: Forwarding<Principal>,
): AnyEndpoint<Principal> {
  return serveOperation(operation, async (request) =>
    responseTo(operation, request, await callFor(operation, request, forwarding)),
  );
}

export function surfaceEndpoints<Principal>(
  operations: readonly AnyOperation[],
  own: readonly AnyEndpoint<Principal>[],
  forwarding: Forwarding<Principal>,
): readonly AnyEndpoint<Principal>[] {
  return operations.map(
    (operation) => own.find(({ id }) => id === operation.id) ?? forwardOperation(operation, forwarding),
  );
}

/**
 * Forwards a read of a list: the signed cursor of the request becomes the position at which job-state begins, and the position after
 * the page becomes `nextCursor`. `atEnd` is the `nextCursor` of a page without one. `completed` adds to the page what only the gateway knows.
 */
export async function forwardPage<Principal extends { readonly companyId: string }>(
  operation: AnyOperation,
  request: EndpointRequest<Principal, { readonly cursor?: string | undefined }, unknown>,
  {
    cursors,
    atEnd,
    completed = (json) => json,
    ...forwarding
  }: Forwarding<Principal> & {
    readonly cursors: PositionCursor;
    readonly atEnd: string | null;
    readonly completed?: (json: string) => string;
  },
): Promise<EndpointResponse> {
  const { companyId } = request.principal;
  const { cursor } = request.query;
  const given = cursor === undefined ? {} : { after: cursors.decode(companyId, cursor) };
  const { json, next, hasMore = next !== undefined } = await callFor(operation, request, forwarding, given);
  const nextCursor = next === undefined ? atEnd : cursors.encode(companyId, next);
  const page = `${completed(json).slice(0, -1)},"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${hasMore}}`;
  return { status: 200, text: versionedText(operation, request, page) };
}

const bodyWithKey = z.object({ idempotencyKey: z.string() });

export function callFor<Principal>(
  operation: Pick<AnyOperation, 'id' | 'servedBy' | 'idempotencyKeyInBody'>,
  request: Request<Principal>,
  { operations, callerOf }: Forwarding<Principal>,
  given: Partial<OperationCall> = {},
): Promise<OperationReply> {
  const { params, sentQuery, body, call } = request;
  const { idempotencyKey: key } = operation.idempotencyKeyInBody === true ? bodyWithKey.parse(body) : request;
  return operations.call(
    { id: operation.servedBy ?? operation.id },
    {
      caller: callerOf(request),
      params,
      query: sentQuery,
      body,
      ...(key !== undefined && {
        idempotencyKey: { key, request: request.operation, bodySha256: request.bodySha256.toString('hex') },
      }),
      ...given,
    },
    call,
  );
}

export function responseTo(
  operation: Pick<AnyOperation, 'path' | 'responses' | 'id'>,
  request: Pick<Request<unknown>, 'apiVersion'>,
  { json, status = successOf(operation), idempotency }: OperationReply,
): EndpointResponse {
  return {
    status,
    ...(json !== '' && { text: versionedText(operation, request, json) }),
    ...(idempotency !== undefined && { headers: idempotencyHeaders(idempotency) }),
  };
}

function successOf({ id, responses }: Pick<AnyOperation, 'id' | 'responses'>): number {
  const [status, ...others] = Object.keys(responses).map(Number);
  invariant(status !== undefined && others.length === 0, `the reply to ${id} names its status`);
  return status;
}

/** Returns the JSON that job-state rendered, with `apiVersion` in front on the versioned surface. It is never parsed. */
export function versionedText(
  { path }: Pick<AnyOperation, 'path'>,
  { apiVersion }: Pick<Request<unknown>, 'apiVersion'>,
  json: string,
): string {
  if (!path.startsWith('/partner/v1/')) return json;
  return `{"apiVersion":${JSON.stringify(apiVersion)},${json.slice(1)}`;
}
