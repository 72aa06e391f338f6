import { createServer } from 'node:http';
import { connect } from 'amqplib';
import express from 'express';
import { listen } from '@partner/kernel/process/listen';
import { z } from 'zod';
import { BASELINE_MESSAGES, BASELINE_QUEUE } from './start-baseline.js';

// The minimal gateway: Express, and one message to the worker and back for each request.
const { AMQP_URL } = z.object({ AMQP_URL: z.string() }).parse(process.env);
const REPLIES = 'amq.rabbitmq.reply-to';

const connection = await connect(AMQP_URL, { noDelay: true });
const channel = await connection.createChannel();
const waiting = new Map<string, (reply: Buffer) => void>();
await channel.consume(
  REPLIES,
  (reply) => {
    if (reply === null) return;
    const correlationId = String(reply.properties.correlationId);
    waiting.get(correlationId)?.(reply.content);
    waiting.delete(correlationId);
  },
  { noAck: true },
);

let calls = 0;

function call(type: string, body: string): Promise<Buffer> {
  calls += 1;
  const correlationId = String(calls);
  return new Promise((resolve) => {
    waiting.set(correlationId, resolve);
    channel.sendToQueue(BASELINE_QUEUE, Buffer.from(body), { type, correlationId, replyTo: REPLIES });
  });
}

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.get('/rows/:id', async (request, response) => {
  response.type('json').send(await call(BASELINE_MESSAGES.read, request.params.id));
});
app.post('/rows', express.text({ type: '*/*', limit: '1mb' }), async (request, response) => {
  const text = z.string().parse(request.body);
  response
    .status(201)
    .type('json')
    .send(await call(BASELINE_MESSAGES.write, text));
});

/** Longer than a round of the other contender, so that no request meets a connection that closes. */
const KEEP_ALIVE_MS = 75_000;

const port = await listen(createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, app), {
  host: '127.0.0.1',
  port: 0,
  variable: 'baseline',
});
process.once('disconnect', () => process.exit());
process.send?.({ port });
