import { createServer, type Server } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import { webhookEnvelope, type WebhookEnvelope } from '@partner/proto-contracts/public-api/webhook-events';
import { closeServer, listen } from '@partner/runtime/listen';

/** One webhook as it came in, byte for byte. */
export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly envelope: WebhookEnvelope;
  readonly answeredStatus: number;
}

/** A subscriber's server that keeps everything it gets, and lets a test wait for what it expects. */
export interface WebhookReceiver {
  readonly port: number;
  readonly received: readonly ReceivedWebhook[];
  /** Resolves once what was received satisfies the condition; rejects after `timeoutMs` with the given description. */
  waitUntil(
    what: string,
    condition: (received: readonly ReceivedWebhook[]) => boolean,
    timeoutMs?: number,
  ): Promise<void>;
  close(): Promise<void>;
}

/** Starts a receiver over TLS on loopback. `answer` chooses the status of each answer; 204 unless given. */
export async function startWebhookReceiver(options: {
  readonly key: string;
  readonly cert: string;
  readonly answer?: (webhook: Omit<ReceivedWebhook, 'answeredStatus'>) => number;
}): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const watchers = new Set<() => void>();
  const server: Server = createServer({ key: options.key, cert: options.cert }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const webhook = {
        path: request.url ?? '',
        headers: request.headers,
        body,
        envelope: webhookEnvelope.parse(JSON.parse(body.toString('utf8'))),
      };
      const answeredStatus = options.answer?.(webhook) ?? 204;
      received.push({ ...webhook, answeredStatus });
      response.writeHead(answeredStatus).end();
      for (const watcher of watchers) watcher();
    });
  });
  const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'receiver' });
  return {
    port,
    received,
    waitUntil(what, condition, timeoutMs = 60_000) {
      return new Promise((resolve, reject) => {
        const settle = (finish: () => void) => {
          clearTimeout(timer);
          watchers.delete(check);
          finish();
        };
        const check = () => {
          if (condition(received)) settle(resolve);
        };
        const timer = setTimeout(() => {
          settle(() => reject(new Error(`not received within ${timeoutMs / 1000} s: ${what}`)));
        }, timeoutMs);
        watchers.add(check);
        check();
      });
    },
    async close() {
      server.closeAllConnections();
      await closeServer(server);
    },
  };
}
