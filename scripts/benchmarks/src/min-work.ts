import { Agent, request } from 'node:https';
import { webhookExample } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import pg from 'pg';
import type { Bench } from './bench-stack.js';

const AT_ONCE = 32;
const MEASURED_MS = 3_000;
const BODY = JSON.stringify(webhookExample('install.status_changed'));

/**
 * Measures, each alone and 32 at once, what every delivery needs: POSTs a second over TLS from this process to the receiver in it, and
 * rows a second that one statement inserts and flushes.
 */
export async function measureMinWork({ stack, receiverPort, signal }: Bench) {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE, rejectUnauthorized: false });
  const postsPerSecond = await rateOf(signal, () => post({ agent, port: receiverPort }));
  agent.destroy();
  const pool = new pg.Pool({ connectionString: stack.description.postgresUrl, max: AT_ONCE });
  await pool.query('create table min_rows (body text not null)');
  const insert = { name: 'insert', text: 'insert into min_rows values ($1)', values: [BODY] };
  const rowsPerSecond = await rateOf(signal, () => pool.query(insert));
  await pool.end();
  return { postsPerSecond, rowsPerSecond };
}

function post(target: { readonly agent: Agent; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    request({ ...target, host: '127.0.0.1', method: 'POST' }, (response) => {
      response.resume().once('end', resolve).once('error', reject);
    })
      .once('error', reject)
      .end(BODY);
  });
}

/** After a warm-up of the same length. */
async function rateOf(signal: AbortSignal, work: () => Promise<unknown>): Promise<number> {
  let done = 0;
  let startedAt = performance.now();
  const isOver = () => performance.now() - startedAt >= MEASURED_MS;
  for (const _round of ['warm-up', 'measured']) {
    [done, startedAt] = [0, performance.now()];
    const worker = async () => {
      for (; !isOver(); done += 1) {
        signal.throwIfAborted();
        await work();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }
  return (done * 1_000) / (performance.now() - startedAt);
}
