import { connect } from 'amqplib';
import pg from 'pg';
import { z } from 'zod';
import { BASELINE_MESSAGES, BASELINE_QUEUE } from './start-baseline.js';

// The minimal worker: one prepared statement for each message, and a reply.
const { AMQP_URL, POSTGRES_URL } = z
  .object({ AMQP_URL: z.string(), POSTGRES_URL: z.string() })
  .parse(process.env);
/** The default of job-state. */
const POOL_SIZE = 10;
const STATEMENTS = {
  [BASELINE_MESSAGES.read]: { name: 'read', text: 'select body from read_rows where id = $1' },
  [BASELINE_MESSAGES.write]: {
    name: 'write',
    text: 'insert into written_rows (body) values ($1) returning body',
  },
};

const pool = new pg.Pool({ connectionString: POSTGRES_URL, max: POOL_SIZE });
const connection = await connect(AMQP_URL, { noDelay: true });
const channel = await connection.createChannel();
await channel.assertQueue(BASELINE_QUEUE, { durable: false, autoDelete: true });
const messageType = z.enum(BASELINE_MESSAGES);
const row = z.object({ body: z.string() });

async function handle(message: {
  readonly content: Buffer;
  readonly properties: { readonly type: unknown; readonly replyTo: unknown; readonly correlationId: unknown };
}): Promise<void> {
  const { type, replyTo, correlationId } = message.properties;
  const { rows } = await pool.query({
    ...STATEMENTS[messageType.parse(type)],
    values: [message.content.toString('utf8')],
  });
  const { body } = row.parse(rows[0]);
  channel.sendToQueue(String(replyTo), Buffer.from(body), { correlationId: String(correlationId) });
}

await channel.consume(
  BASELINE_QUEUE,
  (message) => {
    if (message !== null) void handle(message);
  },
  { noAck: true },
);
process.once('disconnect', () => process.exit());
process.send?.({});
