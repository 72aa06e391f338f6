import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as requestTo, type ServerResponse } from 'node:http';
import path from 'node:path';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PROJECT_ROOT, readProjectFile } from '@partner/local-stack/project-root';
import { lastLines, runCommand } from '@partner/local-stack/run-command';
import { ensurePython } from '@partner/local-stack/toolchains';
import { document, newJob, stack, textAt } from '@partner/partnerctl/testing/partnerctl-on-stack';
import {
  baseEnvironment,
  freePort,
  startLocalProgram,
  stopLocalProcess,
} from '@partner/test-kit/backing-services/local-process';
import { eventually } from '@partner/test-kit/eventually';
import { type ReceivedRequest, type Receiver, startReceiver } from '@partner/test-kit/receiver';
import { seededRandom } from '@partner/test-kit/seeded-random';
import { z } from 'zod';

const CLIENTS = 'proto-contracts/clients';
/** TypeScript 7, as a developer's own compiler. */
const COMPILER = path.join(PROJECT_ROOT, 'node_modules/typescript-native/bin/tsc');
const COMPILER_OPTIONS =
  '--ignoreConfig --strict --target ES2023 --module NodeNext --types node --outDir out';

/** Outside the project, so that a program finds no packages but those that are installed for it. */
const directory = mkdtempSync(path.join(tmpdir(), 'packed-clients-'));
/** The port of the program that receives webhooks; the stack delivers to a TLS server in front of it. */
let programPort = 0;
let front: Receiver | undefined;
/** Whether the front accepts the next delivery and forgets it. */
let isLost = () => false;

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
  const target = { host: '127.0.0.1', port: programPort, method, path: place, headers };
  requestTo(target, (received) => received.pipe(response.writeHead(received.statusCode ?? 502)))
    .on('error', () => response.destroy())
    .end(body);
}

/** CommonJS has other files and types than the ES modules that the examples import. */
const COMMON_JS = `import { createPartnerClient } from '@partner/client';
import { expressHandler } from '@partner/client/express';
const partner = createPartnerClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'a.b' });
// @ts-expect-error the lead lacks fields
export const call = () => partner.POST('/inbound/leads', { body: { fullName: '' } });
console.log(typeof partner.GET, typeof expressHandler);
`;

async function run(cwd: string, ...[program, ...args]: readonly [string, ...string[]]): Promise<string> {
  return runAbout(settings(), cwd, program, ...args);
}

async function runAbout(
  env: NodeJS.ProcessEnv,
  cwd: string,
  ...[program, ...args]: readonly [string, ...string[]]
): Promise<string> {
  const result = await runCommand(program, args, { cwd, env });
  expect({ program, args, failure: result.exitCode === 0 ? '' : lastLines(result, 40) }).toMatchObject({
    failure: '',
  });
  return result.stdout;
}

/** The code blocks of a README in a language. */
function examplesOf(client: string, language: string): readonly string[] {
  const blocks = readProjectFile(`${CLIENTS}/${client}/README.md`).matchAll(
    new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'),
  );
  return [...blocks].map(([, block = '']) => block);
}

/** The command of a README that installs its client, with the address of the stack. */
function installCommand(client: string): readonly [string, ...string[]] {
  const [line = ''] = examplesOf(client, 'sh');
  const [program = '', ...args] = line.trim().split(' ');
  const withUrl = (arg: string) => arg.replaceAll('"', '').replace('$PARTNER_URL', stack.description.baseUrl);
  return [program, ...args.map(withUrl)];
}

function company(kind: 'SALES' | 'INSTALLER') {
  const found = stack.description.companies.find((each) => each.class === kind);
  if (found === undefined) throw new Error(`the sandbox has no company of class ${kind}`);
  return found;
}

/** A client as a developer installs it from the stack, in an empty folder. */
interface PackedClient {
  readonly language: 'TypeScript' | 'Python';
  /** False if the toolchain of the language is missing. */
  readonly isInstallable: boolean;
  /** The code blocks of its README. */
  readonly examples: readonly string[];
  readonly folder: string;
  /** Installs it with the command of its README, and writes the examples. */
  readonly install: () => Promise<void>;
  /** Runs one of the examples. */
  readonly command: (example: number) => readonly [string, ...string[]];
}

function typescriptClient(): PackedClient {
  const folder = path.join(directory, 'typescript');
  const examples = examplesOf('typescript', 'ts');
  return {
    ...{ language: 'TypeScript', isInstallable: true, examples, folder },
    async install() {
      writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
      await run(folder, ...installCommand('typescript'), '--no-audit', '--no-fund');
      await run(
        folder,
        ...['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline'],
        ...['@types/node@20.19.43', '@types/express@5.0.6', 'express@5.3.0', 'fastify@5.12.8'],
      );
      const files = examples.map((example, index) => {
        const file = `example-${index}.ts`;
        writeFileSync(path.join(folder, file), example.replace('8080', String(programPort)));
        return file;
      });
      writeFileSync(path.join(folder, 'common-js.cts'), COMMON_JS);
      await run(
        folder,
        process.execPath,
        COMPILER,
        ...COMPILER_OPTIONS.split(' '),
        ...files,
        'common-js.cts',
      );
    },
    command: (example) => [process.execPath, path.join(folder, `out/example-${example}.js`)],
  };
}

/** Python, if it can install packages. */
const python = await ensurePython(['uvicorn==0.54.0']);

function pythonClient(): PackedClient {
  const interpreter = python ?? '';
  const folder = path.join(directory, 'python');
  const examples = examplesOf('python', 'python');
  const installed = path.join(folder, 'installed/bin/python');
  return {
    ...{ language: 'Python', isInstallable: python !== undefined, examples, folder },
    async install() {
      await run(folder, interpreter, '-m', 'venv', 'installed');
      const [, ...install] = installCommand('python');
      await run(
        folder,
        installed,
        '-m',
        'pip',
        '-q',
        ...install,
        'uvicorn==0.54.0',
        'fastapi',
        'django==5.2.19',
      );
      for (const [index, example] of examples.entries())
        writeFileSync(path.join(folder, `example_${index}.py`), example.replace('8080', String(programPort)));
    },
    command: (example) => [installed, path.join(folder, `example_${example}.py`)],
  };
}

const settings = ({ id, secret } = { id: 'whk_none', secret: `whsec_${btoa('of no webhook')}` }) => ({
  ...baseEnvironment(),
  PARTNER_URL: stack.description.baseUrl,
  PARTNER_API_KEY: company('INSTALLER').keys.find(({ kind }) => kind === 'installer-company')?.apiKey ?? '',
  PARTNER_WEBHOOK_SECRET: secret,
  PARTNER_WEBHOOK_ID: id,
});

/** A new job that the installer can read. */
async function assignedJob(): Promise<string> {
  const id = await newJob(company('SALES').id, company('INSTALLER').id);
  const headers = { 'x-api-key': settings().PARTNER_API_KEY };
  const url = new URL(`/partner/v1/jobs/${id}`, stack.description.baseUrl);
  await eventually('the job is assigned', async () => (await fetch(url, { headers })).ok, { everyMs: 1_000 });
  return id;
}

interface Webhook {
  readonly id: string;
  readonly secret: string;
}

/** A paused webhook subscription of the installer. */
async function createWebhook(): Promise<Webhook> {
  const url = `${stack.description.listener.url}/webhooks`;
  const made = await document(
    'subscriptions',
    'create',
    company('INSTALLER').id,
    '--events',
    'install.*',
    '--url',
    url,
  );
  return { id: textAt(made, 'subscription.id'), secret: textAt(made, 'secret') };
}

/** Works while the first example receives the deliveries of a new active webhook. */
async function whileReceiving(
  client: PackedClient,
  work: (webhook: Webhook, output: () => string) => Promise<void>,
): Promise<void> {
  const webhook = await createWebhook();
  const [command, ...args] = client.command(0);
  const logFile = path.join(client.folder, 'program.log');
  const program = await startLocalProgram(
    {
      ...{ name: client.language, command, args, cwd: client.folder, logFile },
      env: settings(webhook),
      isUp: () => fetch(`http://127.0.0.1:${programPort}/`).then(() => true),
      ...{ startTimeoutMs: 120_000, stopSignal: 'SIGTERM', stopGraceMs: 5_000 },
    },
    { detached: false },
  );
  try {
    await document('subscriptions', 'test', webhook.id);
    await document('subscriptions', 'activate', webhook.id);
    await work(webhook, () => readFileSync(logFile, 'utf8'));
  } finally {
    isLost = () => false;
    await stopLocalProcess(program, 'SIGTERM', 5_000);
    await document('subscriptions', 'delete', webhook.id, '--yes');
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
    const random = seededRandom('lost 11');
    let lost = 0;
    isLost = () => {
      const isForgotten = random() < 0.01;
      lost += isForgotten ? 1 : 0;
      return isForgotten;
    };
    for (let version = 1; version <= WRITES; version += 1) await changeStatus(job, version);
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
    const recorded = await recordedEvents(job);
    const kept = new Set(readdirSync(path.join(client.folder, 'partner-state')));
    expect(lost).toBeGreaterThanOrEqual(3);
    expect(recorded.length).toBeGreaterThan(1.5 * WRITES);
    expect(recorded.filter((id) => !kept.has(encodeURIComponent(`event:${id}`)))).toEqual([]);
    const handled = output().match(new RegExp(`^verified install\\.\\w+ ${job}`, 'gm')) ?? [];
    expect(handled).toHaveLength(recorded.length);
  });
}

/** Blocks and acknowledges a job in turn: an event each. */
async function changeStatus(jobId: string, expectedVersion: number): Promise<void> {
  const move =
    expectedVersion % 2 === 1 ? { status: 'ACKNOWLEDGED' } : { status: 'BLOCKED', blockerCode: 'WEATHER' };
  const response = await fetch(
    new URL(`/partner/v1/jobs/${jobId}/status-events`, stack.description.baseUrl),
    {
      method: 'POST',
      headers: {
        ...{ 'x-api-key': settings().PARTNER_API_KEY, 'content-type': 'application/json' },
        'idempotency-key': `${jobId}-${expectedVersion}`,
      },
      body: JSON.stringify({ ...move, occurredAt: new Date().toISOString(), expectedVersion }),
    },
  );
  expect({ status: response.status, body: await response.text() }).toMatchObject({ status: 201 });
}

/** The ids of the events that the service has recorded about a job since it was assigned. */
async function recordedEvents(jobId: string): Promise<readonly string[]> {
  const page = z.object({
    events: z.array(z.object({ headers: z.object({ 'webhook-id': z.string(), 'x-svc-event': z.string() }) })),
    ...{ nextCursor: z.string(), hasMore: z.boolean() },
  });
  const ids: string[] = [];
  const query = new URLSearchParams({ resourceId: jobId, limit: '100' });
  for (let hasMore = true; hasMore;) {
    const url = new URL(`/partner/v1/events?${query.toString()}`, stack.description.baseUrl);
    const response = await fetch(url, { headers: { 'x-api-key': settings().PARTNER_API_KEY } });
    const { events, nextCursor, hasMore: more } = page.parse(await response.json());
    const later = events.filter(({ headers }) => headers['x-svc-event'] !== 'install.job_assigned');
    ids.push(...later.map(({ headers }) => headers['webhook-id']));
    query.set('cursor', nextCursor);
    hasMore = more;
  }
  return ids;
}

const PACKED: readonly PackedClient[] = [typescriptClient(), pythonClient()];

describe.each(PACKED)('the packed $language client', (client) => {
  const { language, isInstallable, examples, folder } = client;
  const testIfInstallable = isInstallable ? test : test.skip;

  beforeAll(async () => {
    if (!isInstallable) return;
    programPort = await freePort();
    mkdirSync(folder);
    await client.install();
  });

  testIfInstallable(
    `goes from an API key to a verified webhook and a synced feed with 15 lines of its README (${language}) [CLIENT-8]`,
    async () => {
      const lines = examples[0]?.split('\n').filter((line) => line.trim() !== '') ?? [];
      expect(lines.length).toBeLessThanOrEqual(15);
      await becomesSynced(client);
    },
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
    `sets up its frameworks with the lines of its README (${language}) [CLIENT-8]`,
    async () => {
      for (let example = 4; example < examples.length; example += 1)
        await run(folder, ...client.command(example));
    },
  );
});

test('the packed TypeScript client loads as CommonJS, with its types [CLIENT-8]', async () => {
  expect(await run(typescriptClient().folder, process.execPath, 'out/common-js.cjs')).toBe(
    'function function\n',
  );
});
