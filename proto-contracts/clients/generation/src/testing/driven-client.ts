import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import path from 'node:path';
import {
  ApiError,
  createMemoryStore,
  createWebhookReceiver,
  eventFeedSecret,
  followEvents,
  followJobs,
  PartnerError,
  reconcile,
  type RetryLimits,
  type Store,
  VersionConflictError,
  createPartnerClient,
} from '@partner/client';
import { createFileStore } from '@partner/client/file-store';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { baseEnvironment } from '@partner/test-kit/backing-services/local-process';
import { z } from 'zod';
import { installPython } from '../python-client.js';

/** The clock of a client when it is created. */
export const NOW = Date.parse('2026-08-26T14:00:00Z');
export const API_KEY = 'key_a.secret';
export const LEAD = {
  fullName: 'Ada Quill',
  email: 'ada@example.com',
  phone: '+1 512 555 0100',
  address: '12 Elm St',
};
const STATUS = { status: 'EN_ROUTE', occurredAt: '2026-08-26T14:03:00Z', expectedVersion: 3 } as const;

/** One use of a client. A store is a folder, or the name of one in memory that lasts. */
export type Use = { readonly url: string; readonly retries?: RetryLimits } & (
  | {
      readonly do: 'call';
      readonly operation: 'createLead' | 'listContractorJobs' | 'recordStatusEvent';
      readonly key?: string;
    }
  | {
      readonly do: 'follow';
      readonly feed: 'jobs' | 'inbound' | 'installer';
      readonly store: string;
      readonly begin?: 'start' | 'end';
      readonly event?: string;
      readonly fields?: readonly string[];
      readonly restart?: boolean;
      /** Ends the loop within the page that follows this many entries. */
      readonly breakAfter?: number;
      /** Polls, and ends the loop within the page that makes it this many. */
      readonly until?: number;
    }
  | {
      readonly do: 'reconcile';
      readonly surface: 'inbound' | 'installer';
      /** Events that the receiver has handled. */
      readonly handled: readonly string[];
    }
  | {
      /** Creates a receiver, which handles deliveries one after another. */
      readonly do: 'receive';
      readonly secrets: readonly string[];
      readonly publicKeysUrl?: string;
      readonly deliveries: readonly SentDelivery[];
      /** How often its handler fails at first. */
      readonly failures?: number;
    }
  /** Creates a client, or the secret of the events feed, of this key. */
  | { readonly do: 'useKey'; readonly of: 'client' | 'feed'; readonly apiKey: string }
);

export interface SentDelivery {
  readonly headers: Readonly<Record<string, unknown>>;
  /** In base64. */
  readonly body: string;
  /** How long after the delivery before it. */
  readonly laterMs?: number;
}

/** A use without its service. */
export type Asked = Use extends infer Each ? (Each extends unknown ? Omit<Each, 'url'> : never) : never;

const used = z.object({
  value: z.unknown().optional(),
  /** The fields of the error of the client. */
  error: z.looseObject({ type: z.string(), message: z.string() }).optional(),
  /** Delays between attempts, in ms. */
  waits: z.array(z.number()),
});

/** A client of one language. Its delays take no time, and its jitter is its upper bound. */
export interface DrivenClient {
  readonly name: string;
  use(what: Use): Promise<z.infer<typeof used>>;
}

const stores = new Map<string, Store>();

const typescript: DrivenClient = {
  name: 'TypeScript',
  async use(what) {
    const waits: number[] = [];
    if (what.do === 'receive' || what.do === 'useKey') {
      try {
        return { value: await (what.do === 'receive' ? received(what) : usedKey(what)), waits };
      } catch (error) {
        return { error: { type: '', message: String(error) }, waits };
      }
    }
    let time = NOW;
    const client = createPartnerClient(
      { baseUrl: what.url, apiKey: API_KEY, ...(what.retries !== undefined && { retries: what.retries }) },
      {
        now: () => time,
        random: () => 1,
        delay: async (ms) => {
          waits.push(ms);
          time += ms;
        },
      },
    );
    try {
      return { value: await valueOf(client, what), waits };
    } catch (error) {
      if (!(error instanceof PartnerError)) throw error;
      return { error: described(error), waits };
    }
  },
};

type OfDo<Do> = Extract<Use, { readonly do: Do }>;

/** What a receiver responds, and what its handler gets. */
async function received(of: OfDo<'receive'>): Promise<unknown> {
  const { secrets, publicKeysUrl, deliveries, failures = 0 } = of;
  const handled: object[] = [];
  let failed = 0;
  let now = NOW;
  const receiver = createWebhookReceiver({
    ...{ secrets, store: createMemoryStore(), now: () => now },
    ...(publicKeysUrl !== undefined && { publicKeysUrl }),
    onEvent: ({ id }, { isStale, isTest, number = null, deliveryId = null, subscriptionId = null }) => {
      if (failed < failures) throw new Error(`failure ${(failed += 1)}`);
      handled.push({ id, isStale, isTest, number, deliveryId, subscriptionId });
    },
  });
  const responses: unknown[] = [];
  for (const { headers, body, laterMs = 0 } of deliveries) {
    now += laterMs;
    const sent = [headers, Buffer.from(body, 'base64')];
    // Headers can be of any type.
    const response: unknown = Reflect.apply(receiver.receive, undefined, sent);
    responses.push(await Promise.resolve(response).catch(() => 'raised'));
  }
  return { responses, handled };
}

function usedKey({ of, apiKey }: OfDo<'useKey'>): string {
  if (of === 'feed') return eventFeedSecret(apiKey);
  createPartnerClient({ baseUrl: 'https://partner.example', apiKey });
  return apiKey;
}

async function valueOf(
  client: ReturnType<typeof createPartnerClient>,
  what: Exclude<Use, OfDo<'receive' | 'useKey'>>,
): Promise<unknown> {
  if (what.do === 'reconcile') {
    const store = createMemoryStore();
    for (const id of what.handled) await store.set(`event:${id}`, 'handled');
    const span = { from: new Date(NOW - 3_600_000), to: new Date(NOW) };
    const surface = what.surface === 'inbound' ? '/inbound' : '/partner/v1';
    const found = await reconcile(client, surface, { subscriptionId: 'whk_1', store, ...span });
    const numbers = (some: readonly { readonly number: number | null }[]) => some.map(({ number }) => number);
    const { listed, gaps, replayed, awaited, unsubscribed } = found;
    const lists = {
      replayed: numbers(replayed),
      awaited: numbers(awaited),
      unsubscribed: numbers(unsubscribed),
    };
    return { listed, gaps, ...lists };
  }
  if (what.do === 'follow') return followed(client, what);
  if (what.operation === 'listContractorJobs') return client.GET('/inbound/jobs');
  if (what.operation === 'recordStatusEvent')
    return client.POST('/partner/v1/jobs/{id}/status-events', {
      params: { path: { id: 'job_1' } },
      body: STATUS,
    });
  const params = what.key === undefined ? {} : { params: { header: { 'Idempotency-Key': what.key } } };
  return client.POST('/inbound/leads', { body: LEAD, ...params });
}

async function followed(
  client: ReturnType<typeof createPartnerClient>,
  { feed, store: name, begin, event, fields, restart, breakAfter, until }: OfDo<'follow'>,
): Promise<readonly unknown[]> {
  const store = name.startsWith('/') ? createFileStore(name) : (stores.get(name) ?? createMemoryStore());
  stores.set(name, store);
  const polling = until === undefined ? { stopAtEnd: true } : { pollSeconds: 0 };
  const options = { store, ...polling, ...(restart === true && { restart }) };
  const read: unknown[] = [];
  if (feed === 'jobs') {
    const from = begin === 'start' ? ({ from: begin } as const) : {};
    for await (const page of followJobs(client, { ...options, ...from }))
      read.push(...page.unassigned.map(({ jobId }) => jobId));
    return read;
  }
  const place = feed === 'inbound' ? '/inbound/events' : '/partner/v1/events';
  const selected = {
    ...(begin === 'end' && { from: begin }),
    ...(event !== undefined && { event }),
    ...(fields !== undefined && { fields }),
  };
  for await (const page of followEvents(client, place, { ...options, ...selected })) {
    if (read.length === breakAfter) break;
    read.push(...page.events.map(({ body }) => body));
    if (read.length === until) break;
  }
  return read;
}

function described(error: PartnerError) {
  const { message, retryable, idempotencyKey } = error;
  const shown = { type: error.constructor.name, message, retryable, idempotencyKey };
  if (!(error instanceof ApiError)) return shown;
  const { status, code, requestId, violations, body } = error;
  const ofStatus = { ...shown, status, code, requestId, violations, allowed: body?.allowed };
  return error instanceof VersionConflictError
    ? { ...ofStatus, currentVersion: error.currentVersion }
    : ofStatus;
}

/** The client of each language, and a function that ends them; that of Python only if it can be installed. */
export async function startClients(): Promise<{ clients: readonly DrivenClient[]; stop: () => void }> {
  const python = await installPython();
  if (python === undefined) return { clients: [typescript], stop: () => undefined };
  const folder = path.join(PROJECT_ROOT, 'proto-contracts/clients/python');
  const env = { ...baseEnvironment(), PYTHONPATH: 'src', PYTHONDONTWRITEBYTECODE: '1' };
  const driver = spawn(python, ['tests/driver.py'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const ask = lineByLine(driver);
  const pythons = [false, true].map((isAsync) => ({
    name: isAsync ? 'Python with asyncio' : 'Python',
    async use(what: Use) {
      const body = what.do !== 'call' ? {} : { body: what.operation === 'createLead' ? LEAD : STATUS };
      return used.parse(JSON.parse(await ask(JSON.stringify({ ...what, ...body, isAsync, now: NOW }))));
    },
  }));
  return { clients: [typescript, ...pythons], stop: () => void driver.kill() };
}

function lineByLine({ stdin, stdout }: ChildProcess): (line: string) => Promise<string> {
  if (stdin === null || stdout === null) throw new Error('the driver has no pipes');
  const lines: AsyncIterator<string> = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return async (line) => {
    stdin.write(`${line}\n`);
    const next = await lines.next();
    if (next.done === true) throw new Error('the driver has ended');
    return next.value;
  };
}
