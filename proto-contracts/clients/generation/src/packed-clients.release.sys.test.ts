import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as requestTo, type ServerResponse } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createStackClient } from '@partner/local-stack/demo/stack-client';
import { apiKeyCreated } from '@partner/proto-contracts/resources/api-key/api-key';
import {
  webhookProposalConfirmed,
  webhookProposalDetail,
  webhookProposalList,
} from '@partner/proto-contracts/resources/webhook-proposal/webhook-proposal';
import { document, newJob, publish, stack, textAt } from '@partner/partnerctl/testing/partnerctl-on-stack';
import { freePort, startLocalProgram } from '@partner/test-kit/backing-services/local-process';
import { eventually } from '@partner/test-kit/eventually';
import { type ReceivedRequest, type Receiver, startReceiver } from '@partner/test-kit/receiver';
import { seededRandom } from '@partner/test-kit/seeded-random';
import { z } from 'zod';
import { RECEIVER, STEPS } from './testing/automation-program.js';
import { changeStatus, recordedEvents, whenReadable } from './testing/installer-calls.js';
import {
  company,
  directory,
  type PackedClient,
  pythonClient,
  run,
  runAbout,
  settings,
  typescriptClient,
} from './testing/packed-client.js';

/** The port of the program that receives webhooks; the stack delivers to a TLS server in front of it. */
let programPort = 0;
let front: Receiver | undefined;
/** Whether the front accepts the next delivery and forgets it. */
let isLost = () => false;
/** Whether the front refuses deliveries for an hour. */
let isRefusing = false;

beforeAll(async () => {
  const { port, keyFile, certificateFile } = stack.description.listener;
  const certificate = { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certificateFile, 'utf8') };
  front = await startReceiver({ certificate, port, respond: passOn });
  await document('companies', 'update', company('INSTALLER').id, '--requests-per-minute', '10000');
});
afterAll(async () => {
  await front?.close();
  rmSync(directory, { recursive: true, force: true });
});

function passOn({ method, path: place, headers, body }: ReceivedRequest, response: ServerResponse): void {
  if (isLost()) {
    response.writeHead(204).end();
    return;
  }
  if (isRefusing) {
    response.writeHead(503, { 'retry-after': '3600' }).end();
    return;
  }
  const target = { host: '127.0.0.1', port: programPort, method, path: place, headers };
  requestTo(target, (received) => received.pipe(response.writeHead(received.statusCode ?? 502)))
    .on('error', () => response.destroy())
    .end(body);
}

/** A new job that the installer can read. */
async function assignedJob(): Promise<string> {
  const id = await newJob(company('SALES').id, company('INSTALLER').id);
  await whenReadable(settings().PARTNER_API_KEY, id, true);
  return id;
}

interface Webhook {
  readonly id: string;
  readonly secret: string;
}

/** A paused webhook subscription of the installer. */
async function createWebhook(): Promise<Webhook> {
  const made = await document(
    ...['subscriptions', 'create', company('INSTALLER').id, '--events', 'install.*'],
    ...['--url', `${stack.description.listener.url}/webhooks`],
  );
  return { id: textAt(made, 'subscription.id'), secret: textAt(made, 'secret') };
}

/** Works while the first example receives the deliveries of a new active webhook. */
async function whileReceiving(
  client: PackedClient,
  work: (webhook: Webhook, output: () => string) => Promise<void>,
): Promise<void> {
  const webhook = await createWebhook();
  try {
    await whileRunning(client, client.command(0), settings(webhook), isServing, async (output) => {
      await document('subscriptions', 'test', webhook.id);
      await document('subscriptions', 'activate', webhook.id);
      await work(webhook, output);
    });
  } finally {
    isLost = () => false;
    await document('subscriptions', 'delete', webhook.id, '--yes');
  }
}

const isServing = () => fetch(`http://127.0.0.1:${programPort}/`).then(() => true);

async function whileRunning(
  { language, folder }: PackedClient,
  [command, ...args]: readonly [string, ...string[]],
  env: Record<string, string>,
  isUp: (output: string) => boolean | Promise<boolean>,
  work: (output: () => string) => Promise<void>,
): Promise<void> {
  const logFile = path.join(folder, `${path.basename(command)}-${args.length}.log`);
  const output = () => readFileSync(logFile, 'utf8');
  const program = await startLocalProgram({
    ...{ name: language, command, args, cwd: folder, logFile, env, isUp: async () => isUp(output()) },
    ...{ startTimeoutMs: 120_000, stopSignal: 'SIGTERM', stopGraceMs: 5_000 },
  });
  try {
    await work(output);
  } finally {
    await program.stop();
  }
}

/** Headers that a connection sets, and that of a trace. */
const OF_CONNECTION = new Set(['host', 'connection', 'content-length', 'accept-encoding', 'traceparent']);
const headerNames = (request: ReceivedRequest | undefined) =>
  Object.keys(request?.headers ?? {})
    .filter((name) => !OF_CONNECTION.has(name))
    .sort();

/** Without a webhook, an owner or an operator. */
async function listensOnThisMachine(client: PackedClient): Promise<void> {
  const secret = `whsec_${btoa('of this machine')}`;
  const between = await startReceiver({ respond: passOn });
  const forward = `http://localhost:${between.port}/webhooks`;
  const listener = [...client.tool, 'listen', '--forward', forward, '--secret', secret] as const;
  const isListening = (output: string) => output.includes(`signing secret: ${secret}`);
  try {
    const environment = settings({ id: 'whk_none', secret });
    await whileRunning(client, client.command(0), environment, isServing, async (output) =>
      whileRunning(client, listener, settings(), isListening, async (printed) => {
        const job = await assignedJob();
        await eventually(
          () => `the program verifies the event; so far: ${output()}; ${printed()}`,
          () => output().includes(`verified install.job_assigned ${job}`),
        );
        await eventually(
          () => `the listener prints the outcome: ${printed()}`,
          () => /install\.job_assigned evt_\w+ -> 204 \(\d+ ms\)/.test(printed()),
        );
      }),
    );
    expect(headerNames(between.requests[0])).toEqual(headerNames(front?.requests.at(-1)));
  } finally {
    await between.close();
  }
}

async function becomesSynced(client: PackedClient): Promise<void> {
  const before = await assignedJob();
  await whileReceiving(client, async (_webhook, output) => {
    const after = await assignedJob();
    await eventually(
      () => `the program prints what it received; so far: ${output()}`,
      () =>
        output().includes('verified install.test') &&
        output().includes(`verified install.job_assigned ${after}`) &&
        output().includes(`synced ${before}`),
    );
    const wrong = await fetch(`http://127.0.0.1:${programPort}/webhooks`, { method: 'POST', body: '{}' });
    expect(wrong.status).toBe(401);
  });
}

/** Each becomes an event about the status, and most one about the readiness. */
const WRITES = 150;

async function endsWithEveryEventOnce(client: PackedClient): Promise<void> {
  const job = await assignedJob();
  await whileReceiving(client, async (webhook, output) => {
    const { PARTNER_API_KEY: apiKey } = settings();
    const random = seededRandom('lost 11');
    let lost = 0;
    isLost = () => {
      const isForgotten = random() < 0.01;
      lost += isForgotten ? 1 : 0;
      return isForgotten;
    };
    for (let version = 1; version <= WRITES; version += 1) await changeStatus(apiKey, job, version);
    const [reconcile, ...args] = client.command(3);
    let printed = '';
    await eventually(
      () => `the receiver has everything; so far: ${printed}`,
      async () => {
        printed = await runAbout(settings(webhook), client.folder, reconcile, ...args);
        return printed.startsWith('replayed 0 awaited 0 ');
      },
      { everyMs: 500 },
    );
    const recorded = await recordedEvents(apiKey, job);
    const kept = new Set(readdirSync(path.join(client.folder, 'partner-state')));
    expect(lost).toBeGreaterThanOrEqual(3);
    expect(recorded.length).toBeGreaterThan(1.5 * WRITES);
    expect(recorded.filter((id) => !kept.has(encodeURIComponent(`event:${id}`)))).toEqual([]);
    const handled = output().match(new RegExp(`^verified install\\.\\w+ ${job}`, 'gm')) ?? [];
    expect(handled).toHaveLength(recorded.length);
  });
}

/** The webhook of a file, which an owner has confirmed. The file is written with the command of the client. */
async function confirmedWebhook({ tool, folder }: PackedClient, description: string) {
  const { call, signIn } = createStackClient(stack.description, AbortSignal.timeout(60_000));
  const owner = await signIn(company('INSTALLER'));
  const automation = await call('/partner-api/api-keys', owner, [201, apiKeyCreated], { kind: 'automation' });
  const env = { ...settings(), PARTNER_API_KEY: automation.data.apiKey };
  const webhooks = (...args: readonly string[]) => runAbout(env, folder, ...tool, 'webhooks', ...args);
  await webhooks('export', 'webhooks.json');
  const file = path.join(folder, 'webhooks.json');
  const exported = z.object({ webhooks: z.array(z.unknown()) }).parse(JSON.parse(readFileSync(file, 'utf8')));
  const wanted = {
    ...{ description, url: `${stack.description.listener.url}/webhooks`, events: ['install.*'] },
    ...{ fields: { 'install.*': ['schedule.startsAt'] }, ordered: true, asymmetricSignature: true },
  };
  writeFileSync(file, JSON.stringify({ webhooks: [...exported.webhooks, wanted] }));
  expect(await webhooks('plan', 'webhooks.json')).toContain('1 different, ');
  expect(await webhooks('propose', 'webhooks.json')).toContain('proposal: pending');
  const place = '/partner-api/webhook-proposals';
  const [id = ''] = (await call(place, owner, [200, webhookProposalList])).data.proposals.map(
    (each) => each.id,
  );
  const { digest } = (await call(`${place}/${id}`, owner, [200, webhookProposalDetail])).data;
  const { data } = await call(`${place}/${id}/confirm`, owner, [200, webhookProposalConfirmed], { digest });
  await webhooks('plan', 'webhooks.json', '--exit-code');
  return { id: data.created[0]?.subscription.id ?? '', automationKey: automation.data.apiKey };
}

const PACKED: readonly PackedClient[] = [typescriptClient(), pythonClient()];

describe.each(PACKED)('the packed $language client', (client) => {
  const { language, isInstallable, examples, folder } = client;
  const testIfInstallable = isInstallable ? test : test.skip;

  beforeAll(async () => {
    if (!isInstallable) return;
    programPort = await freePort();
    mkdirSync(folder);
    await client.install(programPort);
  });

  testIfInstallable(
    `goes from an API key to a verified webhook and a synced feed with 17 lines of its README (${language}) [CLIENT-8]`,
    async () => {
      const lines = examples[0]?.split('\n').filter((line) => line.trim() !== '') ?? [];
      expect(lines.length).toBeLessThanOrEqual(17);
      await becomesSynced(client);
    },
  );

  testIfInstallable(
    `forwards events to a server of this machine, which verifies them as webhooks (${language}) [CLIENT-18]`,
    () => listensOnThisMachine(client),
  );

  testIfInstallable(`acknowledges a job with the lines of its README (${language}) [CLIENT-8]`, async () => {
    const job = await assignedJob();
    expect(await run(folder, ...client.command(1))).toContain(`acknowledged ${job}`);
  });

  testIfInstallable(
    `handles once an event that no endpoint has received with the lines of its README (${language}) [CLIENT-8]`,
    async () => {
      const handled = `handled install.job_assigned ${await assignedJob()}`;
      expect(await run(folder, ...client.command(2))).toContain(handled);
      expect(await run(folder, ...client.command(2))).not.toContain('handled');
    },
  );

  testIfInstallable(
    `ends with every event exactly once, if its receiver loses 1 % at random, by reconciling with the lines of its README (${language}) [CLIENT-8, CLIENT-12]`,
    () => endsWithEveryEventOnce(client),
  );

  testIfInstallable(
    `keeps a copy that loses an unassigned job and gets it back, with the lines of its README (${language}) [CLIENT-8, FEED-10]`,
    async () => {
      const job = await assignedJob();
      const copies = () =>
        run(folder, ...client.command(4)).then(() => readdirSync(path.join(folder, 'jobs')));
      expect(await copies()).toContain(`${job}.json`);
      await publish('JobUnassigned', { jobId: job, version: 3 });
      await whenReadable(settings().PARTNER_API_KEY, job, false);
      expect(await copies()).not.toContain(`${job}.json`);
      const installerCompanyId = company('INSTALLER').id;
      await publish('JobAssigned', { jobId: job, version: 4, installerCompanyId });
      await whenReadable(settings().PARTNER_API_KEY, job, true);
      expect(await copies()).toContain(`${job}.json`);
    },
  );

  testIfInstallable(
    `sets up its frameworks with the lines of its README (${language}) [CLIENT-8]`,
    async () => {
      for (let example = 5; example < examples.length; example += 1)
        await run(folder, ...client.command(example));
    },
  );
});

const deliveryList = z.array(
  z.object({ id: z.string(), event: z.string(), state: z.string(), waitsFor: z.string().nullable() }),
);

test('a webhook of a file gets the fields of it, in order, without a secret, and a key retries it [CLIENT-8, CLIENT-19, CONFIG-8, WEBHOOK-17, DELIVERY-29, AUTH-15, EVENT-15]', async () => {
  const client = typescriptClient();
  programPort = await freePort();
  writeFileSync(path.join(client.folder, 'receiver.mjs'), RECEIVER);
  writeFileSync(path.join(client.folder, 'steps.mjs'), STEPS);
  const { id, automationKey } = await confirmedWebhook(client, 'Schedules');
  const env = { ...settings({ id, secret: '' }), AUTOMATION_KEY: automationKey, PORT: String(programPort) };
  await whileRunning(client, [process.execPath, 'receiver.mjs'], env, isServing, async (output) => {
    await document('subscriptions', 'test', id);
    await document('subscriptions', 'activate', id);
    isRefusing = true;
    const job = await assignedJob();
    const step = async (name: string): Promise<unknown> =>
      JSON.parse(await runAbout(env, client.folder, process.execPath, 'steps.mjs', name, job));
    await step('change');
    const assigned = { event: 'install.job_assigned', state: 'retry_scheduled', waitsFor: null };
    const scheduled = { event: 'install.schedule_changed', state: 'pending' };
    let listed: z.infer<typeof deliveryList> = [];
    await eventually(
      () => `the first delivery is refused; so far: ${JSON.stringify(listed)}`,
      async () => {
        listed = deliveryList.parse(await step('deliveries'));
        return listed.length === 2 && listed[1]?.state === assigned.state;
      },
    );
    expect(listed).toMatchObject([{ ...scheduled, waitsFor: listed[1]?.id }, assigned]);
    isRefusing = false;
    await step('retry');
    await eventually(
      () => `both are verified; so far: ${output()}`,
      () => output().includes(`verified ${scheduled.event} ${job}`),
    );
    const events = [assigned.event, scheduled.event];
    expect(output().match(new RegExp(`install\\.\\w+(?= ${job})`, 'g'))).toEqual(events);
    await eventually('both deliveries have ended', async () =>
      deliveryList.parse(await step('deliveries')).every(({ state }) => state === 'delivered'),
    );
    expect(await step('read')).toEqual({ events, listed: 2, left: [] });
  });
  await document('subscriptions', 'delete', id, '--yes');
});

test('the packed TypeScript client loads as CommonJS, with its types [CLIENT-8]', async () => {
  expect(await run(typescriptClient().folder, process.execPath, 'out/common-js.cjs')).toBe(
    'function function\n',
  );
});
