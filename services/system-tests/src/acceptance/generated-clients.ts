import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import {
  type Command,
  ensureGoModule,
  ensureGoProgram,
  ensureJars,
  ensureOpenApiGenerator,
  runProgram,
} from '@partner/local-stack/toolchains/toolchains';
import { z } from 'zod';
import { createActiveSubscription, readSubscription, signIn } from '../support/owner-session.js';
import { assignNewJob } from '../support/platform-job.js';
import { createSurfaceSide } from '../surfaces/surface-side.js';
import { readJob } from '../surfaces/valid-request.js';
import type { AcceptanceWorld } from './acceptance-world.js';

const CLIENTS = path.resolve(import.meta.dirname, '../../clients');

const clientReport = z.strictObject({
  leadId: z.string().startsWith('lead_'),
  version: z.int(),
  state: z.string(),
});

/** What the `pom.xml` of a Java client names. */
const JAVA_DEPENDENCIES = [
  'com.fasterxml.jackson.core:jackson-databind:2.19.2',
  'com.fasterxml.jackson.datatype:jackson-datatype-jsr310:2.19.2',
  'org.openapitools:jackson-databind-nullable:0.2.8',
  'com.google.code.findbugs:jsr305:3.0.2',
  'jakarta.annotation:jakarta.annotation-api:2.1.1',
].map((coordinates) => {
  const [group = '', artifact = '', version = ''] = coordinates.split(':');
  return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
});

const openApiGenerator = await ensureOpenApiGenerator();
const jars = openApiGenerator && (await ensureJars(JAVA_DEPENDENCIES.join('\n')));
const oapiCodegen = await ensureGoProgram('github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2');
const goModule =
  oapiCodegen &&
  (await ensureGoModule([
    'github.com/oapi-codegen/runtime@v1.8.0',
    'github.com/oapi-codegen/runtime/types@v1.8.0',
  ]));

/** A command of OpenAPI Generator, which writes to `client`. */
const generate = (jar: string, generator: string, ...options: readonly string[]): Command => [
  ...(['java', '-jar', jar, 'generate', '--input-spec=openapi.json', '--output=client'] as const),
  ...[`--generator-name=${generator}`, ...options],
];

/**
 * Generators of languages without a client of ours, whose options the guide for partners names: each with a folder of
 * {@link CLIENTS}, and the commands that generate, compile and run its program, or none if the toolchain is missing.
 */
const CLIENT_GENERATORS: readonly (readonly [
  title: string,
  folder: string,
  commands: readonly Command[] | undefined,
])[] = [
  [
    'oapi-codegen (Go)',
    'oapi-codegen',
    oapiCodegen === undefined || goModule === undefined
      ? undefined
      : [
          ['cp', path.join(goModule, 'go.mod'), path.join(goModule, 'go.sum'), '.'],
          [oapiCodegen, '-config', 'configuration.yaml', 'openapi.json'],
          ['go', 'build', '-o', 'program', '.'],
          ['./program'],
        ],
  ],
  [
    'OpenAPI Generator java (Java)',
    'java',
    openApiGenerator === undefined || jars === undefined
      ? undefined
      : [
          generate(
            openApiGenerator,
            'java',
            // The client reads a created lead as a merged one, and would refuse the value of its status.
            '--additional-properties=library=native,useJakartaEe=true,enumUnknownDefaultCase=true',
          ),
          [
            'bash',
            '-c',
            `javac -nowarn -proc:none -cp '${jars}/*' -d classes $(find . -name '*.java' -not -path '*/test/*')`,
          ],
          ['java', '-cp', `classes:${jars}/*`, 'Program'],
        ],
  ],
];

/**
 * Clients that stock generators make from the running stack's `/openapi.json`, compiled and used. A generator whose toolchain
 * is missing is skipped by name. The first run downloads for about a minute.
 */
export function describeGeneratedClients(world: () => AcceptanceWorld): void {
  const scratch = mkdtempSync(path.join(tmpdir(), 'generated-clients-'));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  for (const [title, folder, commands] of CLIENT_GENERATORS) {
    const testIfInstalled = commands === undefined ? test.skip : test;

    testIfInstalled(`of ${title} compiles, reads and writes`, async () => {
      const { stack } = world();
      const side = await createSurfaceSide(stack);
      const directory = path.join(scratch, folder);
      cpSync(path.join(CLIENTS, folder), directory, { recursive: true });
      const document = await fetch(new URL('/openapi.json', stack.baseUrl));
      writeFileSync(path.join(directory, 'openapi.json'), await document.text());
      const session = await signIn(stack.baseUrl, stack.company('SALES').owner);
      const installerKey = side.keys['installer-company'];
      const companies = { sellingCompanyId: side.sellerId, installerCompanyId: side.installerId };
      const job = await assignNewJob(stack, { ...companies, installerKey });
      const webhook = await createActiveSubscription(session, {
        url: stack.receiverUrl,
        events: ['install.test'],
      });
      const env = {
        BASE_URL: new URL(stack.baseUrl).origin,
        SELLER_KEY: side.keys.general,
        INSTALLER_KEY: installerKey,
        JOB_ID: job.id,
        WEBHOOK_ID: webhook.id,
        COOKIE: session.headers.cookie,
        ORIGIN: session.headers.origin,
        UNIQUE: newId('evt'),
      };
      let printed = '';
      for (const command of commands ?? []) printed = await runProgram(command, { cwd: directory, env });
      expect(clientReport.parse(JSON.parse(printed))).toMatchObject({ version: 2, state: 'paused' });
      expect(await readJob(stack, job.id)).toMatchObject({ status: 'ACKNOWLEDGED', version: 2 });
      expect((await readSubscription(session, webhook.id)).state).toBe('paused');
    });
  }
}
