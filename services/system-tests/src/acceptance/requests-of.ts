import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import type { AcceptanceWorld } from './acceptance-world.js';
import { expectSuccess, type WireRequest } from '../surfaces/send.js';
import { type ValidRequest, validRequest } from '../surfaces/valid-request.js';

/** Sends and makes requests in a world that has started by the time of a test. */
export function requestsOf(world: () => AcceptanceWorld) {
  return {
    send: (request: WireRequest) => world().send(request),
    expectSuccess: (request: WireRequest) => expectSuccess(world().stack.baseUrl, request),
    valid: (operation: AnyOperation, side = world().side) => validRequest(world().stack, side, operation),
    onJob: (request: ValidRequest, jobId: string): ValidRequest => ({
      ...request,
      path: request.path.replace(world().side.jobId, jobId),
    }),
  };
}

export const withHeader = (request: ValidRequest, name: string, value: string): ValidRequest => ({
  ...request,
  headers: { ...request.headers, [name]: value },
});

export const withBody = (request: ValidRequest, fields: Readonly<Record<string, unknown>>): ValidRequest => ({
  ...request,
  body: { ...request.body, ...fields },
});

export function withReversedBody(request: ValidRequest): ValidRequest {
  return { ...request, body: Object.fromEntries(Object.entries(request.body ?? {}).reverse()) };
}

/** The same request with input that no operation accepts. */
export function spoilt(operation: AnyOperation, request: WireRequest): WireRequest {
  const { body: _body, ...rest } = request;
  if (operation.body !== undefined) {
    return {
      ...rest,
      headers: { ...rest.headers, 'content-type': 'application/json' },
      bytes: new TextEncoder().encode('{'),
    };
  }
  if (operation.query !== undefined) return { ...rest, path: `${rest.path}?take=0&limit=0` };
  return { ...rest, headers: { ...rest.headers, 'x-svc-api-version': '1999-01-01' } };
}
