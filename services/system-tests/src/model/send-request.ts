import type { Call } from '../support/http-call.js';
import { isUncertain, type ReceivedAnswer, type Try, type WriteRequest } from './history.js';

const GIVE_UP_MS = 180_000;
const ANSWER_MS = 30_000;
/** What a client owes the service between two tries. */
const PAUSE_MS = 100;

/** Sends one request. An undefined answer: the connection broke. */
export async function sendOnce(baseUrl: string, path: string, options: Call): Promise<Try> {
  const sentAt = performance.now();
  const answer = await receive(baseUrl, path, options).catch(() => undefined);
  return { sentAt, endedAt: performance.now(), answer };
}

/** The answer as it comes, whatever it is: it is judged afterwards. */
async function receive(
  baseUrl: string,
  path: string,
  { method = 'GET', headers, body }: Call,
): Promise<ReceivedAnswer> {
  const response = await fetch(new URL(path, baseUrl), {
    method,
    redirect: 'manual',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  return {
    status: response.status,
    text: await response.text(),
    headers: Object.fromEntries(response.headers),
  };
}

/**
 * Sends a write as a partner would: with an idempotency key until it is answered for certain, always the same; without one
 * only again when it was refused for its rate. Throws when there is no certain answer within three minutes. `onUncertain` is
 * called after each try without a certain answer.
 */
export async function sendWrite(
  baseUrl: string,
  request: WriteRequest,
  body: Readonly<Record<string, unknown>>,
  onUncertain: () => void,
): Promise<readonly Try[]> {
  const { key, write } = request;
  const inHeader = key !== undefined && write.kind !== 'appointment';
  const options = {
    method: request.method,
    headers: { 'x-api-key': request.caller.apiKey, ...(inHeader ? { 'idempotency-key': key } : {}) },
    body,
  };
  const tries: Try[] = [];
  const deadline = performance.now() + GIVE_UP_MS;
  for (;;) {
    const last = await sendOnce(baseUrl, request.path, options);
    tries.push(last);
    if (isUncertain(last.answer)) onUncertain();
    const mayRepeat = key !== undefined || last.answer?.status === 429;
    // A fault of the service is a fault of the run: there is nothing to wait for.
    if (!isUncertain(last.answer) || !mayRepeat || last.answer?.status === 500) return tries;
    if (performance.now() > deadline) {
      const asked = `${request.method} ${request.path}`;
      throw new Error(`no certain answer to ${asked}; the last: ${described(last.answer)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Reads until there is an answer that says something. */
export async function sendRead(
  baseUrl: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Try & { readonly answer: ReceivedAnswer }> {
  const deadline = performance.now() + GIVE_UP_MS;
  for (;;) {
    const { sentAt, endedAt, answer } = await sendOnce(baseUrl, path, { headers });
    if (answer !== undefined && !isUncertain(answer)) return { sentAt, endedAt, answer };
    if (answer?.status === 500) return { sentAt, endedAt, answer };
    if (performance.now() > deadline) {
      throw new Error(`no certain answer to GET ${path}; the last: ${described(answer)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function described(answer: ReceivedAnswer | undefined): string {
  return answer === undefined ? 'a broken connection' : `${answer.status} ${answer.text}`;
}
