import { bytesOf, type ReceivedRequest } from '@partner/local-stack/receiver/received-request';
import { wrongUsage } from './exit-codes.js';

const FORWARD_MS = 9_000;

/** Hop-by-hop headers, and headers that the forwarded request sets itself. */
const NOT_FORWARDED = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive']);

/** Parses a URL on this machine. Fails for any other, so that deliveries never leave it. */
export function loopbackUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    !/^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(url.hostname)
  )
    throw wrongUsage(`--forward must be a URL on this machine, such as http://127.0.0.1:3000/hooks`);
  return url;
}

/** Forwards a delivery unchanged and returns its response; 502 without a response within 9 s. */
export async function forwardDelivery(url: URL, request: ReceivedRequest): Promise<number> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: Object.entries(request.headers).filter(([name]) => !NOT_FORWARDED.has(name)),
      body: bytesOf(request),
      signal: AbortSignal.timeout(FORWARD_MS),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 502;
  }
}
