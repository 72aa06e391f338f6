import type { IncomingHttpHeaders } from 'node:http';
import {
  webhookEnvelope,
  type WebhookEnvelope,
} from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { startReceiver } from '@partner/test-kit/receiver';
import { createRecorder } from '@partner/test-kit/recorder';

/** One webhook as it came in, byte for byte. */
export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly envelope: WebhookEnvelope;
  /** 0 without a response. */
  readonly responseStatus: number;
}

/** A webhook with when and how it came. */
export interface TimedWebhook extends ReceivedWebhook {
  /** When it was there completely, in milliseconds of the Unix epoch. */
  readonly receivedAt: number;
  /** What its response stated in `retry-after`. */
  readonly retryAfterSeconds: number | undefined;
}

/** The response to a webhook: with a status, by closing the connection, with bytes that are not HTTP, or not at all. */
export type ReceiverResponse =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly retryAfterSeconds?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      readonly afterMs?: number;
    }
  | { readonly kind: 'closed' }
  | { readonly kind: 'garbage' }
  | { readonly kind: 'none' };

/** A subscriber's server that records all webhooks; a test can wait for the ones that it expects. */
export interface WebhookReceiver {
  readonly port: number;
  readonly received: readonly TimedWebhook[];
  /** Resolves once what was received satisfies the condition; rejects after `timeoutMs` with the given description. */
  waitUntil(
    what: string,
    condition: (received: readonly ReceivedWebhook[]) => boolean,
    timeoutMs?: number,
  ): Promise<void>;
  close(): Promise<void>;
}

/** Starts a receiver over TLS on loopback. `respond` chooses each response, or its status alone; 204 unless given. */
export async function startWebhookReceiver(options: {
  readonly key: string;
  readonly cert: string;
  readonly respond?: (webhook: Omit<ReceivedWebhook, 'responseStatus'>) => number | ReceiverResponse;
}): Promise<WebhookReceiver> {
  const received = createRecorder<TimedWebhook>();
  const server = await startReceiver({
    certificate: { key: options.key, cert: options.cert },
    respond({ path, headers, body }, response) {
      const envelope = webhookEnvelope.parse(JSON.parse(body.toString('utf8')));
      const webhook = { path, headers, body, envelope };
      const chosen = options.respond?.(webhook) ?? 204;
      const chosenResponse: ReceiverResponse =
        typeof chosen === 'number' ? { kind: 'status', status: chosen } : chosen;
      received.record({
        ...webhook,
        responseStatus: chosenResponse.kind === 'status' ? chosenResponse.status : 0,
        receivedAt: Date.now(),
        retryAfterSeconds: chosenResponse.kind === 'status' ? chosenResponse.retryAfterSeconds : undefined,
      });
      if (chosenResponse.kind === 'closed') response.destroy();
      if (chosenResponse.kind === 'garbage') response.socket?.end('\u0000garbage\r\n\r\n');
      if (chosenResponse.kind === 'status') {
        const { retryAfterSeconds } = chosenResponse;
        const sent = {
          ...chosenResponse.headers,
          ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
        };
        const send = () => response.writeHead(chosenResponse.status, sent).end(chosenResponse.body);
        if (chosenResponse.afterMs === undefined) send();
        else setTimeout(send, chosenResponse.afterMs);
      }
    },
  });
  return {
    port: server.port,
    get received() {
      return received.all();
    },
    waitUntil: received.until,
    close: server.close,
  };
}
