import assert from 'node:assert/strict';
import { type ErrorBody, errorBody } from '@partner/proto-contracts/api/error-body';
import type { Call, HttpResponse } from '@partner/test-kit/http-call';
import { call } from '../support/http-call.js';

/** A request as it goes over the wire; `path` is path and query. */
export type WireRequest = Call & Readonly<Record<'method' | 'path', string>>;

/** Sends a request. Rejects unless the response is as the API description says, and expects no trace of the service's parts. */
export async function send(baseUrl: string, request: WireRequest): Promise<HttpResponse> {
  const response = await call(baseUrl, request.path, request);
  assert.equal(response.headers.get('x-powered-by'), null);
  assert.doesNotMatch(response.text, /<html|<!doctype|node_modules|^\s+at /im);
  return response;
}

export async function expectSuccess(baseUrl: string, request: WireRequest): Promise<HttpResponse> {
  const response = await send(baseUrl, request);
  assert.ok(response.status >= 200 && response.status < 300, response.text);
  return response;
}

/** The error body of a response that has this status and code. */
export function expectError(response: HttpResponse, status: number, code: string): ErrorBody {
  assert.equal(response.status, status, response.text);
  assert.ok(response.text.includes(`"code":"${code}"`), response.text);
  return errorBody.parse(response.json);
}
