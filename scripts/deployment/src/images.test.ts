import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PROJECT_ROOT } from '@partner/local-stack/stack/project-root';
import { SERVICE_NAMES } from '@partner/local-stack/stack/services';
import { assembleImage } from './assemble-image.js';
import { commandOf, stageOf } from './dockerfile.js';
import { unresolvedImports } from './unresolved-imports.js';

/** What is run of an image: its own command, and what stands in its place. */
const PROGRAMS = SERVICE_NAMES.flatMap((service) =>
  (service === 'job-state'
    ? ['dist/main.js', 'dist/migrate.js', 'dist/seed-sandbox.js']
    : ['dist/main.js']
  ).map((program) => [service, program] as const),
);
const NEEDED_VARIABLE: Readonly<Record<string, RegExp>> = {
  'dist/main.js': /AMQP_URL: is not set/,
  'dist/migrate.js': /POSTGRES_URL/,
  'dist/seed-sandbox.js': /POSTGRES_URL/,
};

const command = commandOf(stageOf('runtime'), 'CMD');
let scratch: string;
const appOf = (service: string) => path.join(scratch, service);

beforeAll(() => {
  const stacks = path.join(PROJECT_ROOT, '.stack');
  mkdirSync(stacks, { recursive: true });
  scratch = mkdtempSync(path.join(stacks, 'images-'));
  for (const service of SERVICE_NAMES) {
    mkdirSync(appOf(service));
    assembleImage(service, appOf(service));
  }
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('what the image of a service is made of', () => {
  test.each(PROGRAMS)('%s: starts %s as far as its settings', (service, program) => {
    const args = command.at(-1) === program ? command : ['--enable-source-maps', program];
    const { status, stderr } = spawnSync(process.execPath, args, {
      cwd: path.join(appOf(service), 'services', service),
      env: { NODE_ENV: 'production' },
      encoding: 'utf8',
    });
    expect(stderr).toMatch(NEEDED_VARIABLE[program] ?? /never/);
    expect(status).toBe(1);
  });

  test.each(PROGRAMS)('%s: has all that %s imports, also while it runs', (service, program) => {
    const entries = [`services/${service}/${program}`, 'services/kernel/dist/telemetry/start.js'];
    expect(unresolvedImports(appOf(service), entries)).toEqual([]);
  });

  test.each(SERVICE_NAMES)('%s: has nothing of other services, of tests or of the build', (service) => {
    const files = readdirSync(appOf(service), { recursive: true, encoding: 'utf8' });
    const own = files.filter((file) => !file.includes('node_modules'));

    expect(readdirSync(appOf(service)).sort()).toEqual(['node_modules', 'proto-contracts', 'services']);
    expect(readdirSync(path.join(appOf(service), 'services')).sort()).toEqual(
      ['gateway-kit', 'kernel', service].sort(),
    );
    expect(own.filter((file) => /\.test\.|\.d\.ts|\.tsbuildinfo|\/testing(\/|$)/.test(file))).toEqual([]);
    expect(own.filter((file) => /^proto-contracts\/(?!dist|package\.json$)/.test(file))).toEqual([]);
    for (const name of ['typescript', 'jest', 'vite', 'react', 'kubernetes-models', 'oxlint']) {
      expect(existsSync(path.join(appOf(service), 'node_modules', name))).toBe(false);
    }
    // Where a stack trace leads to.
    expect(own).toContain(`services/${service}/dist/main.js.map`);
  });

  test('console: has the web app and the reference of the APIs', () => {
    const dist = path.join(appOf('console'), 'services/console/dist');
    expect(readdirSync(dist)).toEqual(expect.arrayContaining(['web-bundle', 'docs-page']));
    expect(readdirSync(dist)).not.toEqual(expect.arrayContaining(['web-build']));
  });

  test('a package that is missing is seen', () => {
    rmSync(path.join(appOf('inbound-gateway'), 'node_modules/express'), { recursive: true });
    expect(
      unresolvedImports(appOf('inbound-gateway'), ['services/inbound-gateway/dist/main.js']),
    ).toContainEqual(expect.stringMatching(/: express$/));
  });
});
