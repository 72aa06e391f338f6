import type { ReceivedRequest } from '@partner/local-stack/receiver/received-request';
import { OperatorError } from './exit-codes.js';

const FORWARD_MS = 9_000;

/** Headers that belong to the one connection, or that the next one sets itself. */
const NOT_FORWARDED = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive']);

/** A URL on this machine; fails for any other, so that nobody's deliveries leave it. */
export function loopbackUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    !/^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(url.hostname)
  )
    throw new OperatorError(
      'usage',
      `--forward must be a URL on this machine, such as http://127.0.0.1:3000/hooks`,
    );
  return url;
}

/** Hands a delivery on as it came and returns its response; 502 for no response within 9 s. */
export async function forwardDelivery(url: URL, request: ReceivedRequest): Promise<number> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: Object.entries(request.headers).filter(([name]) => !NOT_FORWARDED.has(name)),
      body: Buffer.from(request.body, 'base64'),
      signal: AbortSignal.timeout(FORWARD_MS),
    });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 502;
  }
}
