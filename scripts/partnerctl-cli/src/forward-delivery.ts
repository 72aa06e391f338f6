import { bytesOf, type ReceivedRequest } from '@partner/local-stack/receiver/received-request';
import { z } from 'zod';
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

/** Forwards a delivery unchanged and returns its response; without a response within 9 s 502, with the reason. */
export async function forwardDelivery(
  url: URL,
  request: ReceivedRequest,
): Promise<{ readonly status: number; readonly problem?: string }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: Object.entries(request.headers).filter(([name]) => !NOT_FORWARDED.has(name)),
      body: bytesOf(request),
      signal: AbortSignal.timeout(FORWARD_MS),
    });
    await response.arrayBuffer();
    return { status: response.status };
  } catch (error) {
    return { status: 502, problem: `${url.origin} gave no response: ${reasonOf(error)}` };
  }
}

/** What fetch and sockets throw, also from another realm. */
const thrown = z
  .object({ name: z.string(), code: z.string(), message: z.string(), cause: z.unknown() })
  .partial()
  .catch({});

function reasonOf(error: unknown): string {
  const { name, cause } = thrown.parse(error);
  if (name === 'TimeoutError') return `none within ${FORWARD_MS / 1_000} s`;
  const { code = '', message = '' } = thrown.parse(cause ?? error);
  if (code === 'ECONNREFUSED') return 'nothing listens there (ECONNREFUSED)';
  // Without a message where several addresses of a host failed.
  return message === '' ? code : message;
}
