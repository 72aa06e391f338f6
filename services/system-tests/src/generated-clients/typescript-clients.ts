import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ensureOpenApiGenerator, runProgram } from '../support/toolchains.js';
import type { Generator } from './generator.js';

const require = createRequire(import.meta.url);

/** A file of an npm package, such as its command. */
const fileOf = (packageName: string, file: string) =>
  path.join(path.dirname(require.resolve(`${packageName}/package.json`)), file);

const TSCONFIG = {
  compilerOptions: {
    target: 'ES2023',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    module: 'NodeNext',
    types: ['node'],
    strict: true,
    rootDir: '.',
    outDir: 'out',
  },
  include: ['**/*.ts'],
};

/** Settings and calls that all programs in TypeScript share. */
const SETTINGS = `
const settings = (name: string): string => process.env[name] ?? '';
const lead = { fullName: 'Ada Quill', email: 'ada@example.com', phone: '+1 512 555 0100', address: settings('UNIQUE') + ' Main Street' };
const versionOf = (entries: readonly { resource: { id: string; version: number } }[]): number =>
  entries.findLast(({ resource }) => resource.id === settings('JOB_ID'))?.resource.version ?? 0;
`;

const OPENAPI_FETCH = `
import createClient from 'openapi-fetch';
import type { paths } from './schema.js';
${SETTINGS}
const baseUrl = settings('BASE_URL');
const seller = createClient<paths>({ baseUrl, headers: { 'x-api-key': settings('SELLER_KEY') } });
const installer = createClient<paths>({ baseUrl, headers: { 'x-api-key': settings('INSTALLER_KEY') } });
const owner = createClient<paths>({ baseUrl, headers: { cookie: settings('COOKIE') } });

function dataOf<T>(result: { data?: T; error?: unknown }): T {
  if (result.data === undefined) throw new Error(JSON.stringify(result.error));
  return result.data;
}

const { leadId } = dataOf(await seller.POST('/inbound/leads', { body: lead }));
const { resources } = dataOf(await installer.GET('/partner/v1/jobs', { params: { query: { from: 'start', limit: 100 } } }));
const { resource } = dataOf(await installer.POST('/partner/v1/jobs/{id}/status-events', {
  params: { path: { id: settings('JOB_ID') }, header: { 'Idempotency-Key': settings('UNIQUE') } },
  body: { status: 'ACKNOWLEDGED', occurredAt: new Date().toISOString(), expectedVersion: versionOf(resources) },
}));
const { state } = dataOf(await owner.POST('/partner-api/webhooks/{id}/pause', {
  params: { path: { id: settings('WEBHOOK_ID') }, header: { Origin: settings('ORIGIN') } },
}));
console.log(JSON.stringify({ leadId, version: resource.version, state }));
`;

const HEY_API = `
import { createLead, listJobFeed, pauseWebhook, recordStatusEvent } from './client/index.js';
import { createClient } from './client/client/index.js';
${SETTINGS}
const baseUrl = settings('BASE_URL');
const seller = createClient({ baseUrl, auth: settings('SELLER_KEY'), throwOnError: true });
const installer = createClient({ baseUrl, auth: settings('INSTALLER_KEY'), throwOnError: true });
const owner = createClient({ baseUrl, headers: { cookie: settings('COOKIE') }, throwOnError: true });

const { leadId } = (await createLead({ client: seller, body: lead, throwOnError: true })).data;
const { resources } = (await listJobFeed({ client: installer, query: { from: 'start', limit: 100 }, throwOnError: true })).data;
const { resource } = (await recordStatusEvent({
  client: installer,
  path: { id: settings('JOB_ID') },
  headers: { 'Idempotency-Key': settings('UNIQUE') },
  body: { status: 'ACKNOWLEDGED', occurredAt: new Date().toISOString(), expectedVersion: versionOf(resources) },
  throwOnError: true,
})).data;
const { state } = (await pauseWebhook({
  client: owner,
  path: { id: settings('WEBHOOK_ID') },
  headers: { Origin: settings('ORIGIN') },
  throwOnError: true,
})).data;
console.log(JSON.stringify({ leadId, version: resource.version, state }));
`;

const TYPESCRIPT_FETCH = `
import { Configuration, ConsoleApi, InboundApi, InstallerApi } from './client/index.js';
${SETTINGS}
const basePath = settings('BASE_URL');
const inbound = new InboundApi(new Configuration({ basePath, apiKey: settings('SELLER_KEY') }));
const installer = new InstallerApi(new Configuration({ basePath, apiKey: settings('INSTALLER_KEY') }));
const owner = new ConsoleApi(new Configuration({ basePath, headers: { cookie: settings('COOKIE') } }));

const { leadId } = await inbound.createLead({ leadIn: lead });
const { resources } = await installer.listJobFeed({ from: 'start', limit: 100 });
const { resource } = await installer.recordStatusEvent({
  id: settings('JOB_ID'),
  idempotencyKey: settings('UNIQUE'),
  statusEventIn: { status: 'ACKNOWLEDGED', occurredAt: new Date(), expectedVersion: versionOf(resources) },
});
const { state } = await owner.pauseWebhook({ id: settings('WEBHOOK_ID'), origin: settings('ORIGIN') });
console.log(JSON.stringify({ leadId, version: resource.version, state }));
`;

/** Writes the program, generates the client beside it, and compiles both. */
async function buildTypescript(
  directory: string,
  program: string,
  generate: readonly [string, ...string[]],
): Promise<readonly [string, ...string[]]> {
  writeFileSync(path.join(directory, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(path.join(directory, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  writeFileSync(path.join(directory, 'program.ts'), program);
  const [command, ...args] = generate;
  await runProgram(command, args, { cwd: directory });
  await runProgram(process.execPath, [fileOf('typescript-native', 'bin/tsc'), '-p', '.'], { cwd: directory });
  return [process.execPath, 'out/program.js'];
}

const openApiGenerator = await ensureOpenApiGenerator();

export const TYPESCRIPT_GENERATORS: readonly Generator[] = [
  {
    title: 'openapi-typescript (Node)',
    build: (directory) =>
      buildTypescript(directory, OPENAPI_FETCH, [
        process.execPath,
        fileOf('openapi-typescript', 'bin/cli.js'),
        'openapi.json',
        '--output',
        'schema.d.ts',
      ]),
  },
  {
    title: '@hey-api/openapi-ts (Node)',
    build: (directory) =>
      buildTypescript(directory, HEY_API, [
        process.execPath,
        fileOf('@hey-api/openapi-ts', 'bin/run.js'),
        '--input',
        'openapi.json',
        '--output',
        'client',
      ]),
  },
  {
    title: 'OpenAPI Generator typescript-fetch (Node and Java)',
    build:
      openApiGenerator === undefined
        ? undefined
        : (directory) =>
            buildTypescript(directory, TYPESCRIPT_FETCH, [
              'java',
              '-jar',
              openApiGenerator,
              'generate',
              '--input-spec=openapi.json',
              '--generator-name=typescript-fetch',
              '--output=client',
              '--additional-properties=importFileExtension=.js',
              // Its class for webhooks does not compile.
              '--global-property=apis=Console:Inbound:Installer,models,supportingFiles',
            ]),
  },
];
