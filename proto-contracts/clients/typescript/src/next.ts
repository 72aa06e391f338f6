import type { WebhookReceiver } from './webhook-receiver.js';

/**
 * Returns a route handler for Next.js (`export const POST = nextHandler(receiver)`). It takes a `Request` and returns a `Response`, as
 * servers of Deno and others do. An error of `onEvent` is thrown, so the framework returns a 500 and the sender retries.
 */
export function nextHandler(receiver: WebhookReceiver): (request: Request) => Promise<Response> {
  return async (request) => {
    const { status, error } = await receiver.receive(
      request.headers,
      new Uint8Array(await request.arrayBuffer()),
    );
    return new Response(error ?? null, { status });
  };
}
