import { setTimeout as delay } from 'node:timers/promises';
import { type HttpResponse, sendCall } from '@partner/test-kit/http-call';
import type { z } from 'zod';
import { StackError } from '../stack-error.js';
import { withTimeLimit } from '../time-limit.js';
import type { DemoCall, Narrator } from './narrator.js';

const RESPONSE_MS = 30_000;

type Headers = Readonly<Record<string, string>>;

/** Sends requests with the headers of one caller, shows them with their responses, and throws {@link StackError} for an unexpected one. */
export type DemoCaller = ReturnType<typeof createDemoCaller>;

/** Creates the caller of a base address. */
export function createDemoCaller(
  {
    baseUrl,
    show,
    signal,
  }: { readonly baseUrl: string; readonly show: Narrator; readonly signal: AbortSignal },
  headers: Headers,
) {
  const sendOnce = (call: DemoCall) =>
    withTimeLimit({ milliseconds: RESPONSE_MS, signal }, (end) =>
      sendCall(baseUrl, call.path, { ...call, signal: end }),
    );
  /** On a 429 waits once, as long as it says. */
  async function sendPatiently(call: DemoCall): Promise<HttpResponse> {
    const response = await sendOnce(call);
    if (response.status !== 429) return response;
    await delay(Number(response.headers.get('retry-after') ?? '1') * 1_000, undefined, { signal });
    return sendOnce(call);
  }
  async function send<S extends z.ZodType>(call: DemoCall, expected: number, schema: S) {
    show.request(call);
    const response = await sendPatiently(call);
    show.response(response);
    return { response, data: read(call, response, expected, schema) };
  }
  return {
    get: <S extends z.ZodType>(path: string, schema: S) =>
      send({ method: 'GET', path, headers }, 200, schema),
    /** Without `body` the request has none. */
    post: <S extends z.ZodType>(
      path: string,
      expected: number,
      schema: S,
      body?: unknown,
      more: Headers = {},
    ) => send({ method: 'POST', path, headers: { ...headers, ...more }, body }, expected, schema),
    /** Reads without printing anything. */
    async quietly<S extends z.ZodType>(path: string, schema: S): Promise<z.infer<S>> {
      const call = { method: 'GET', path, headers } as const;
      return read(call, await sendPatiently(call), 200, schema);
    },
    /** Prints a request that was sent quietly, and the relevant part of its response. */
    showRead(path: string, what: string, content: unknown): void {
      show.request({ method: 'GET', path, headers });
      show.show(what, content);
    },
  };
}

function read<S extends z.ZodType>(
  { method, path }: DemoCall,
  { status, text, json }: HttpResponse,
  expected: number,
  schema: S,
): z.infer<S> {
  if (status !== expected)
    throw new StackError(`${method} ${path} returned ${status} instead of ${expected}: ${text}`);
  const result = schema.safeParse(json);
  if (!result.success)
    throw new StackError(`${method} ${path} returned another body: ${result.error.message}`);
  return result.data;
}
