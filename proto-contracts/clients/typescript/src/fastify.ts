import type { FastifyInstance } from 'fastify';
import type { WebhookReceiver } from './webhook-receiver.js';

/** Returns a plugin for Fastify with the route `path`. Its parser for raw bodies applies to this route only. */
export function fastifyPlugin(
  receiver: WebhookReceiver,
  path = '/webhooks',
): (app: FastifyInstance) => Promise<void> {
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser<Buffer>(
      '*',
      { parseAs: 'buffer', bodyLimit: 8 * 1024 * 1024 },
      (_request, body, done) => done(null, body),
    );
    app.post<{ Body: Buffer | undefined }>(path, async ({ headers, body }, reply) => {
      const { status, error } = await receiver.receive(headers, body ?? new Uint8Array());
      return reply.code(status).type('text/plain').send(error);
    });
  };
}
