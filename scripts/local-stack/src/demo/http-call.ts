import { withTimeLimit } from '../time-limit.js';

const ANSWER_MS = 30_000;

/** A request as a partner or an owner's browser would send it. */
export interface HttpCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An answer with its body as JSON; undefined when it has none. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: unknown;
  readonly text: string;
}

/** Sends one request and reads the whole answer. Waits as long as a 429 asks for, once; rejects when no answer comes. */
export async function sendCall(baseUrl: string, call: HttpCall, signal?: AbortSignal): Promise<HttpAnswer> {
  const send = () =>
    withTimeLimit({ milliseconds: ANSWER_MS, signal }, async (end) => {
      const response = await fetch(new URL(call.path, baseUrl), {
        method: call.method,
        redirect: 'manual',
        headers: {
          ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...call.headers,
        },
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
        signal: end,
      });
      return { response, text: await response.text() };
    });
  let { response, text } = await send();
  if (response.status === 429) {
    const seconds = Number(response.headers.get('retry-after') ?? '1');
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    ({ response, text } = await send());
  }
  return { status: response.status, headers: response.headers, json: parseJson(text), text };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
