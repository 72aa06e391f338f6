import { Agent, request } from 'node:http';
import { newId } from '@partner/kernel/ids';
import { eventually } from '@partner/test-kit/eventually';
import { call } from '../support/http-call.js';
import { readMetric } from '../support/replica-metrics.js';
import type { TestStack } from '../support/test-stack.js';
import type { Container } from './container.js';

/** Work that a container has in flight and cannot finish yet. */
export interface HeldWork {
  /** Lets it be finished, and resolves to how it ended: the statuses of the responses. */
  release(): Promise<readonly number[]>;
}

/** A connection to a container that has been used and is kept open. */
export interface KeptConnection {
  /** Sends one more request. Rejects when the connection has gone by then, or goes before the response. */
  useAgain(): Promise<{ readonly status: number; readonly isSame: boolean; readonly connection: string }>;
}

/** Requests an unknown path and keeps the connection open, as a client of the service does between two requests. */
export async function keepConnection(container: Container): Promise<KeptConnection> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const use = () =>
    new Promise<Awaited<ReturnType<KeptConnection['useAgain']>>>((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: container.port('http'), path: '/no-such-path', agent });
      sent.once('error', reject);
      sent.once('response', (answer) => {
        const { statusCode = 0, headers } = answer;
        answer.resume();
        answer.once('end', () =>
          resolve({ status: statusCode, isSame: sent.reusedSocket, connection: headers.connection ?? '' }),
        );
      });
      sent.end();
    });
  await use();
  return { useAgain: use };
}

/** A request that a container has accepted, without its body so far. */
export async function holdRequest(
  container: Container,
  given: {
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  },
): Promise<HeldWork> {
  const text = JSON.stringify(given.body);
  const sent = request({
    host: '127.0.0.1',
    port: container.port('http'),
    method: 'POST',
    path: given.path,
    agent: false,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      connection: 'keep-alive',
      expect: '100-continue',
      ...given.headers,
    },
  });
  const status = new Promise<number>((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
    });
  });
  status.catch(() => undefined);
  await new Promise<void>((resolve, reject) => {
    sent.once('error', reject);
    sent.once('continue', () => resolve());
    sent.flushHeaders();
  });
  return {
    async release() {
      sent.end(text);
      return [await status];
    },
  };
}

/** Time until a test releases what it holds, while pods end and start. */
const RELEASED_WITHIN_MS = 600_000;

/** Commands that one replica of job-state runs in parallel for one company: half of its connections. */
const OF_ONE_COMPANY = 5;

/** Status events that wait in job-state for the rows of their jobs: more than one replica runs in parallel. */
export async function holdStatusEvents(
  stack: Pick<TestStack, 'database'>,
  given: {
    readonly baseUrl: string;
    readonly apiKey: string;
    readonly jobs: readonly { readonly id: string; readonly version: number }[];
  },
): Promise<HeldWork> {
  const client = await stack.database.connect();
  await client.query('begin');
  await client.query('select from jobs where id = any($1) for update', [given.jobs.map(({ id }) => id)]);
  const answers = given.jobs.map(async (job) => {
    const write = {
      method: 'POST',
      headers: { 'x-api-key': given.apiKey, 'idempotency-key': newId('evt') },
      body: {
        status: 'ACKNOWLEDGED',
        occurredAt: new Date().toISOString(),
        expectedVersion: job.version,
      },
    };
    // A write waits for a row for 2 s and is then answered with 503, which on a busy machine can be before the release.
    return eventually(
      'a status event is answered',
      async () => {
        const answer = await call(given.baseUrl, `/partner/v1/jobs/${job.id}/status-events`, write);
        return answer.status !== 503 && answer;
      },
      { timeoutMs: RELEASED_WITHIN_MS, everyMs: 50 },
    );
  });
  const waiting = async () => {
    const found = await stack.database.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`,
    );
    return found.rows[0]?.count ?? 0;
  };
  await eventually('status events wait in both replicas', async () => (await waiting()) > OF_ONE_COMPANY);
  return {
    async release() {
      await client.query('rollback');
      client.release();
      return (await Promise.all(answers)).map(({ status }) => status);
    },
  };
}

/** Attempts of a dispatcher whose responses the gate withholds. Resolves once the container has one in flight. */
export async function holdAttempts(
  container: Container,
  gate: { shut(): void; open(): void },
): Promise<HeldWork> {
  gate.shut();
  await eventually('the container has an attempt in flight', async () => {
    const adminUrl = `http://127.0.0.1:${container.port('admin')}`;
    return (await readMetric(adminUrl, 'partner_webhook_attempts_in_flight')) > 0;
  });
  return {
    async release() {
      gate.open();
      return [];
    },
  };
}
