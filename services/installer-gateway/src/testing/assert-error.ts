import { expect } from '@jest/globals';
import { type ErrorBody, errorBody } from '@partner/proto-contracts/api/error-body';
import type { Response } from 'supertest';

/**
 * Asserts that a response is an error of this status and code with the headers of every response, and returns its body.
 */
export function assertError(response: Response, status: number, code: string): ErrorBody {
  const body = errorBody.parse(response.body);
  expect({ status: response.status, code: body.code }).toEqual({ status, code });
  expect(response.headers).toMatchObject({
    'x-request-id': body.requestId,
    'x-svc-api-version': '2026-08-26',
  });
  return body;
}
