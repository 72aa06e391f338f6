import { expect } from '@jest/globals';
import { type HttpResponse, sendCall } from '@partner/test-kit/http-call';
import { z } from 'zod';

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, with its content type. */
  readonly json?: unknown;
  /** Sent as it is, without a content type. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
}

const errorFields = z.strictObject({
  error: z.string().min(1),
  code: z.string().regex(/^[a-z_]+$/),
  requestId: z.string(),
  details: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
  currentVersion: z.int().optional(),
  currentStatus: z.string().optional(),
  allowed: z.array(z.string()).optional(),
});

export type ErrorFields = z.infer<typeof errorFields>;

/**
 * Sends a request and expects of its response what every response of the service has: `x-request-id`; JSON and nothing else as
 * a body; for an error the error body (spec: Errors); date-times with milliseconds and `Z`; the version on the installer
 * surface, and no trace of what the service is made of.
 */
export async function send(baseUrl: string, request: WireRequest): Promise<HttpResponse> {
  const { path, json, ...call } = request;
  const answer = await sendCall(baseUrl, path, { ...call, body: json });
  expectWellFormed(path, answer);
  return answer;
}

/** Sends a request that has to expectSuccess. */
export async function expectSuccess(baseUrl: string, request: WireRequest): Promise<HttpResponse> {
  const answer = await send(baseUrl, request);
  expect([answer.status >= 200 && answer.status < 300, answer.text]).toEqual([true, answer.text]);
  return answer;
}

/** The error body of a response that has this status and code. */
export function expectError(answer: HttpResponse, status: number, code: string): ErrorFields {
  expect({ status: answer.status, text: answer.text }).toEqual({
    status,
    text: expect.stringContaining(`"code":"${code}"`),
  });
  return errorFields.parse(answer.json);
}

function expectWellFormed(path: string, answer: HttpResponse): void {
  const { headers, text } = answer;
  expect(headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
  expect(headers.get('x-powered-by')).toBeNull();
  expect(headers.get('x-svc-api-version')).toBe(path.startsWith('/partner/v1/') ? '2026-08-26' : null);
  expect(text).not.toMatch(/<html|<!doctype|node_modules|^\s+at /im);
  if (text !== '') expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  for (const dateTime of dateTimesIn(answer.json)) {
    expect(dateTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
  if (answer.status >= 400) {
    const { requestId, details } = errorFields.parse(answer.json);
    expect(requestId).toBe(headers.get('x-request-id'));
    expect(details === undefined || answer.status === 400).toBe(true);
  }
}

/** Every text in a value that begins as a date-time does. */
function dateTimesIn(value: unknown): string[] {
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\d[T ]/.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(dateTimesIn);
}
