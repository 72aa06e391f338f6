import { expect } from '@jest/globals';
import { type ErrorBody, errorBody } from '@partner/proto-contracts/api/error-body';
import type { Call, HttpResponse } from '@partner/test-kit/http-call';
import { call } from '../support/http-call.js';

/** A request as it goes over the wire; `path` is path and query. */
export type WireRequest = Call & Readonly<Record<'method' | 'path', string>>;

/** Sends a request. Rejects unless the response is as the API description says, and expects no trace of the service's parts. */
export async function send(baseUrl: string, request: WireRequest): Promise<HttpResponse> {
  const response = await call(baseUrl, request.path, request);
  expect(response.headers.get('x-powered-by')).toBeNull();
  expect(response.text).not.toMatch(/<html|<!doctype|node_modules|^\s+at /im);
  return response;
}

export async function expectSuccess(baseUrl: string, request: WireRequest): Promise<HttpResponse> {
  const response = await send(baseUrl, request);
  expect([response.status >= 200 && response.status < 300, response.text]).toEqual([true, response.text]);
  return response;
}

/** The error body of a response that has this status and code. */
export function expectError(response: HttpResponse, status: number, code: string): ErrorBody {
  expect({ status: response.status, text: response.text }).toEqual({
    status,
    text: expect.stringContaining(`"code":"${code}"`),
  });
  return errorBody.parse(response.json);
}
