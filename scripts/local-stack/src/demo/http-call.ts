import { setTimeout as delay } from 'node:timers/promises';
import { type HttpResponse, type Call, sendCall } from '@partner/test-kit/http-call';
import { withTimeLimit } from '../time-limit.js';

const RESPONSE_MS = 30_000;

/** A request as a partner or an owner's browser sends it. */
export interface DemoCall extends Pick<Call, 'headers' | 'body'> {
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

/** Sends one request and reads the whole response. On a 429 waits once, as long as it says. Rejects if no response arrives. */
export async function sendDemoCall(
  baseUrl: string,
  call: DemoCall,
  signal?: AbortSignal,
): Promise<HttpResponse> {
  const send = () =>
    withTimeLimit({ milliseconds: RESPONSE_MS, signal }, (end) =>
      sendCall(baseUrl, call.path, { ...call, signal: end }),
    );
  const response = await send();
  if (response.status !== 429) return response;
  await delay(Number(response.headers.get('retry-after') ?? '1') * 1_000, undefined, { signal });
  return send();
}
