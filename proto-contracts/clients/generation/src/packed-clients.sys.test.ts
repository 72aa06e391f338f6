import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { tmpdir } from 'node:os';
import { createServer } from 'node:tls';
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

const CLIENTS = 'proto-contracts/clients';
/** TypeScript 7, as a developer's own compiler. */
const COMPILER = path.join(PROJECT_ROOT, 'node_modules/typescript-native/bin/tsc');
const COMPILER_OPTIONS =
  '--ignoreConfig --strict --target ES2023 --module NodeNext --types node --outDir out';

/** Outside the project, so that a program finds no packages but those that are installed for it. */
const directory = mkdtempSync(path.join(tmpdir(), 'packed-clients-'));
/** The port of the program that receives webhooks; the stack delivers to a TLS server in front of it. */
let programPort = 0;
let front: ReturnType<typeof createServer> | undefined;

beforeAll(async () => {
  const { port, keyFile, certificateFile } = stack.description.listener;
  front = createServer({ key: readFileSync(keyFile), cert: readFileSync(certificateFile) }, (socket) => {
    const program = connect(programPort, '127.0.0.1');
    socket.pipe(program).pipe(socket);
    for (const side of [socket, program])
      side.on('error', () => [socket, program].map((each) => each.destroy()));
  });
  await new Promise<void>((resolve) => front?.listen(port, '127.0.0.1', resolve));
});
afterAll(() => {
  front?.close();
  rmSync(directory, { recursive: true, force: true });
});

/** CommonJS has other files and types than the ES modules that the examples import. */
const COMMON_JS = `import { createPartnerClient } from '@partner/client';
import { expressHandler } from '@partner/client/express';
const partner = createPartnerClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'a.b' });
// @ts-expect-error the lead lacks fields
export const call = () => partner.POST('/inbound/leads', { body: { fullName: '' } });
console.log(typeof partner.GET, typeof expressHandler);
`;

async function run(cwd: string, ...[program, ...args]: readonly [string, ...string[]]): Promise<string> {
  const result = await runCommand(program, args, { cwd, env: settings() });
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

function company(kind: 'SALES' | 'INSTALLER') {
  const found = stack.description.companies.find((each) => each.class === kind);
  if (found === undefined) throw new Error(`the sandbox has no company of class ${kind}`);
  return found;
}

/** A client as a developer installs it from its packed file, in an empty folder. */
interface PackedClient {
  readonly language: 'TypeScript' | 'Python';
  /** False if the toolchain of the language is missing. */
  readonly isInstallable: boolean;
  /** The code blocks of its README. */
  readonly examples: readonly string[];
  readonly folder: string;
  /** Packs and installs it, and writes the examples. */
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
      await run(path.join(PROJECT_ROOT, CLIENTS, 'typescript'), 'npm', 'pack', '--pack-destination', folder);
      await run(
        folder,
        ...['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', './partner-client-0.1.0.tgz'],
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

/** Python with what builds a wheel. */
const python = await ensurePython(['hatchling==1.33.0']);

function pythonClient(): PackedClient {
  const interpreter = python ?? '';
  const folder = path.join(directory, 'python');
  const examples = examplesOf('python', 'python');
  const installed = path.join(folder, 'installed/bin/python');
  return {
    ...{ language: 'Python', isInstallable: python !== undefined, examples, folder },
    async install() {
      const packages = path.join(PROJECT_ROOT, CLIENTS, 'python');
      await run(
        packages,
        interpreter,
        '-m',
        'pip',
        'wheel',
        '-q',
        '--no-deps',
        '--no-build-isolation',
        '-w',
        folder,
        '.',
      );
      await run(folder, interpreter, '-m', 'venv', 'installed');
      const wheel = './partner_client-0.1.0-py3-none-any.whl[fastapi,django]';
      await run(folder, installed, '-m', 'pip', 'install', '-q', wheel, 'uvicorn==0.54.0');
      for (const [index, example] of examples.entries())
        writeFileSync(path.join(folder, `example_${index}.py`), example.replace('8080', String(programPort)));
    },
    command: (example) => [installed, path.join(folder, `example_${example}.py`)],
  };
}

const settings = (secret = `whsec_${btoa('of no webhook')}`) => ({
  ...baseEnvironment(),
  PARTNER_URL: stack.description.baseUrl,
  PARTNER_API_KEY: company('INSTALLER').keys.find(({ kind }) => kind === 'installer-company')?.apiKey ?? '',
  PARTNER_WEBHOOK_SECRET: secret,
});

/** A new job that the installer can read. */
async function assignedJob(): Promise<string> {
  const id = await newJob(company('SALES').id, company('INSTALLER').id);
  const headers = { 'x-api-key': settings().PARTNER_API_KEY };
  const url = new URL(`/partner/v1/jobs/${id}`, stack.description.baseUrl);
  await eventually('the job is assigned', async () => (await fetch(url, { headers })).ok, { everyMs: 1_000 });
  return id;
}

/** A paused webhook subscription of the installer. */
async function createWebhook(): Promise<{ readonly id: string; readonly secret: string }> {
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

async function becomesSynced(client: PackedClient): Promise<void> {
  const before = await assignedJob();
  const webhook = await createWebhook();
  const [command, ...args] = client.command(0);
  const logFile = path.join(client.folder, 'program.log');
  const output = () => readFileSync(logFile, 'utf8');
  const program = await startLocalProgram(
    {
      ...{ name: client.language, command, args, cwd: client.folder, logFile },
      env: settings(webhook.secret),
      isUp: () => fetch(`http://127.0.0.1:${programPort}/`).then(() => true),
      ...{ startTimeoutMs: 120_000, stopSignal: 'SIGTERM', stopGraceMs: 5_000 },
    },
    { detached: false },
  );
  try {
    await document('subscriptions', 'test', webhook.id);
    await document('subscriptions', 'activate', webhook.id);
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
  } finally {
    await stopLocalProcess(program, 'SIGTERM', 5_000);
    await document('subscriptions', 'delete', webhook.id, '--yes');
  }
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
    `sets up its frameworks with the lines of its README (${language}) [CLIENT-8]`,
    async () => {
      await run(folder, ...client.command(3));
    },
  );
});

test('the packed TypeScript client loads as CommonJS, with its types [CLIENT-8]', async () => {
  expect(await run(typescriptClient().folder, process.execPath, 'out/common-js.cjs')).toBe(
    'function function\n',
  );
});
