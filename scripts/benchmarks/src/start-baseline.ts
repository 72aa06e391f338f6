import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import type { Stack } from '@partner/local-stack/stack/start-stack';
import { z } from 'zod';

export type Baseline = Awaited<ReturnType<typeof startBaseline>>;

const DATABASE = 'benchmark_baseline';

export const BASELINE_QUEUE = 'benchmark.baseline';

/** From the gateway to the worker; the body is the id of a row, or the text of a new one. */
export const BASELINE_MESSAGES = { read: 'read', write: 'write' } as const;

export async function startBaseline(stack: Stack) {
  const { amqpUrl, postgresUrl } = stack.description;
  const ownUrl = Object.assign(new URL(postgresUrl), { pathname: `/${DATABASE}` }).href;
  await withPostgres(postgresUrl, (client) => client.query(`create database ${DATABASE}`));
  await withPostgres(ownUrl, (client) =>
    client.query(
      `create table read_rows (id text primary key, body text not null);
       create table written_rows (id bigint generated always as identity primary key, body text not null)`,
    ),
  );
  const started: ChildProcess[] = [];
  const start = async (file: string): Promise<{ readonly pid: number; readonly hello: unknown }> => {
    const child = fork(path.join(import.meta.dirname, file), {
      env: { ...process.env, AMQP_URL: amqpUrl, POSTGRES_URL: ownUrl },
    });
    started.push(child);
    const hello = await new Promise<unknown>((resolve, reject) => {
      child.once('message', resolve);
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`${file} has ended with ${code ?? 'a signal'}`)));
    });
    return { pid: child.pid ?? 0, hello };
  };
  const worker = await start('baseline-worker.js');
  const gateway = await start('baseline-gateway.js');
  const { port } = z.object({ port: z.int() }).parse(gateway.hello);
  return {
    url: `http://127.0.0.1:${port}`,
    processes: [
      { process: 'gateway', pid: gateway.pid },
      { process: 'worker', pid: worker.pid },
    ],
    putRow: async (id: string, body: string) => {
      await withPostgres(ownUrl, (client) =>
        client.query(
          `insert into read_rows (id, body) values ($1, $2)
           on conflict (id) do update set body = excluded.body`,
          [id, body],
        ),
      );
    },
    stop: async () => {
      const running = started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
      await Promise.all(
        running.map((child) => {
          const ended = once(child, 'exit');
          child.kill();
          return ended;
        }),
      );
    },
  };
}
