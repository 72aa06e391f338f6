import { eventually } from '@partner/test-kit/eventually';
import { type Call, sendCall } from '@partner/test-kit/http-call';
import { isUncertain, type ReceivedResponse, type Try, type WriteRequest } from './history.js';

const GIVE_UP_MS = 180_000;
/** What a client owes the service between two tries. */
const PAUSE_MS = 100;

/** Sends one request. An undefined answer: the connection broke. */
export async function sendOnce(baseUrl: string, path: string, options: Call): Promise<Try> {
  const sentAt = performance.now();
  // The response as it arrives, whatever it is: it is judged afterwards.
  const answer = await sendCall(baseUrl, path, options).then(
    ({ status, text, headers }) => ({ status, text, headers: Object.fromEntries(headers) }),
    () => undefined,
  );
  return { sentAt, endedAt: performance.now(), answer };
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
  return eventually(
    () =>
      `a certain answer to ${request.method} ${request.path}; the last: ${described(tries.at(-1)?.answer)}`,
    async () => {
      const last = await sendOnce(baseUrl, request.path, options);
      tries.push(last);
      if (isUncertain(last.answer)) onUncertain();
      const mayRepeat = key !== undefined || last.answer?.status === 429;
      // A fault of the service is a fault of the run: there is nothing to wait for.
      return (!isUncertain(last.answer) || !mayRepeat || last.answer?.status === 500) && tries;
    },
    { timeoutMs: GIVE_UP_MS, everyMs: PAUSE_MS },
  );
}

/** Reads until there is an answer that says something. */
export async function sendRead(
  baseUrl: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Try & { readonly answer: ReceivedResponse }> {
  let last: ReceivedResponse | undefined;
  return eventually(
    () => `a certain answer to GET ${path}; the last: ${described(last)}`,
    async () => {
      const { sentAt, endedAt, answer } = await sendOnce(baseUrl, path, { headers });
      last = answer;
      if (answer === undefined) return undefined;
      return (!isUncertain(answer) || answer.status === 500) && { sentAt, endedAt, answer };
    },
    { timeoutMs: GIVE_UP_MS, everyMs: PAUSE_MS },
  );
}

function described(answer: ReceivedResponse | undefined): string {
  return answer === undefined ? 'a broken connection' : `${answer.status} ${answer.text}`;
}
