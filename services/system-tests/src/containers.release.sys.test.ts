import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { INGRESS_PATHS, SERVICE_NAMES, type ServiceName } from '@partner/local-stack/stack/services';
import { z } from 'zod';
import { productionValues } from './containers/chart-values.js';
import { type Cluster, type Retirement, VERSIONS } from './containers/cluster.js';
import { startClusterStack } from './containers/cluster-stack.js';
import { type Engine, startEngine } from './containers/engine.js';
import { expectNothingLost } from './containers/expect-nothing-lost.js';
import { buildImages, imageOf } from './containers/images.js';
import { startSteadyLoad } from './containers/steady-load.js';
import { openSubscription } from './deliveries/owner-moves.js';
import { signIn } from './support/owner-session.js';
import type { TestStack } from './support/test-stack.js';

const [EARLIER, LATER] = VERSIONS;

const LIST_FILES = `
console.log(JSON.stringify(require('node:fs').readdirSync('/app', { recursive: true })));
`;

const SHOW_RIGHTS = `
const fs = require('node:fs');
const canWrite = (place) => {
  try { fs.writeFileSync(place + '/written', ''); return 'written'; } catch (error) { return error.code; }
};
const status = fs.readFileSync('/proc/self/status', 'utf8');
const field = (name) => new RegExp('^' + name + ':\\\\s+(.+)$', 'm').exec(status)[1];
console.log(JSON.stringify({
  pid: process.pid, uid: process.getuid(), gid: process.getgid(), groups: process.getgroups(), cwd: process.cwd(),
  capabilities: field('CapEff'), noNewPrivileges: field('NoNewPrivs'),
  writes: Object.fromEntries(['.', '/', '/app', '/app/node_modules', '/nodejs/bin', '/etc', '/tmp'].map((place) => [place, canWrite(place)])),
}));
`;

const imageSettings = z.object({
  User: z.string(),
  WorkingDir: z.string(),
  Entrypoint: z.array(z.string()),
  Cmd: z.array(z.string()),
  Env: z.array(z.string()),
  Labels: z.record(z.string(), z.string()),
  Healthcheck: z.object({ Test: z.array(z.string()) }),
});

const found = await startEngine();
const [suite, title] =
  'missing' in found ? [describe.skip, `containers (skipped: ${found.missing})`] : [describe, 'containers'];

if ('missing' in found) process.stdout.write(`${title}\n`);

suite(title, () => {
  let engine: Engine;

  beforeAll(async () => {
    if ('missing' in found) throw new Error(found.missing);
    engine = found;
    await buildImages(engine);
  });

  afterAll(() => engine.stop());

  const settingsOf = async (service: ServiceName) =>
    imageSettings.parse(
      JSON.parse(await engine.docker(['inspect', '--format', '{{json .Config}}', imageOf(service)])),
    );

  describe('the image', () => {
    test.each(SERVICE_NAMES)(
      'of %s holds its own code and dependencies, and nothing of tests',
      async (service) => {
        const run = ['run', '--rm', '--network', 'none', imageOf(service), '-e', LIST_FILES];
        const files = z.array(z.string()).parse(JSON.parse(await engine.docker(run)));
        const own = files.filter((file) => !file.includes('node_modules'));
        const kit = service in INGRESS_PATHS ? ['gateway-kit'] : [];
        const childrenOf = (folder: string) =>
          files
            .filter((file) => file.startsWith(folder))
            .flatMap((file) => {
              const name = file.slice(folder.length);
              return name.includes('/') ? [] : [name];
            })
            .sort();

        expect(childrenOf('')).toEqual(['node_modules', 'proto-contracts', 'services']);
        expect(childrenOf('services/')).toEqual([service, 'kernel', ...kit].sort());
        expect(childrenOf('node_modules/@partner/')).toEqual(
          [service, 'kernel', 'proto-contracts', ...kit].sort(),
        );
        expect(
          own.filter((file) =>
            /\.test\.|\.d\.ts|\.tsbuildinfo|\/(testing|test-kit|src|web-build)(\/|$)/.test(file),
          ),
        ).toEqual([]);
        const packages = [
          'typescript',
          'jest',
          'supertest',
          'smtp-server',
          'fast-check',
          'vite',
          'react',
          'oxlint',
        ];
        expect(files.filter((file) => packages.includes(file.replace(/^.*node_modules\//, '')))).toEqual([]);
        // For stack traces.
        expect(own).toContain(`services/${service}/dist/main.js.map`);
        if (service === 'console') expect(own).toContain('services/console/dist/web-bundle');
      },
    );

    test.each(SERVICE_NAMES)(
      'of %s names its user by number, its command and its origin',
      async (service) => {
        const { Labels, ...settings } = await settingsOf(service);
        expect(settings).toMatchObject({
          User: '65532:65532',
          WorkingDir: `/app/services/${service}`,
          Entrypoint: ['/nodejs/bin/node'],
          Cmd: ['--enable-source-maps', '--import', '@partner/kernel/telemetry/start', 'dist/main.js'],
        });
        expect(settings.Env).toContain('NODE_ENV=production');
        expect(Labels).toMatchObject({
          'org.opencontainers.image.title': `partner-integration-service/${service}`,
          'org.opencontainers.image.revision': 'unknown',
        });
      },
    );

    test('of job-state has the program that seeds the sandbox', async () => {
      const run = ['run', '--rm', '--network', 'none', imageOf('job-state'), 'dist/seed-sandbox.js'];
      await expect(engine.docker(run)).rejects.toThrow('POSTGRES_URL');
    });
  });

  describe('run by the charts', () => {
    let stack: TestStack;
    let cluster: Cluster;
    beforeAll(async () => {
      ({ stack, cluster } = await startClusterStack(engine));
    });

    afterAll(async () => {
      await cluster.stop();
      await stack.stop();
    });

    test('the migration succeeds', async () => {
      const plan = await cluster.plan('job-state', productionValues('job-state'), {
        kind: 'Job',
        name: 'job-state-migrate',
      });
      const migration = await cluster.run('job-state', plan);
      expect(await migration.ended).toBe(0);
    });

    test.each(SERVICE_NAMES)(
      '%s starts with production values, without rights and on a file system that it cannot change',
      async (service) => {
        const plan = await cluster.plan(service, productionValues(service));
        const probe = await cluster.run(service, { ...plan, args: ['-e', SHOW_RIGHTS] });
        expect(await probe.ended).toBe(0);
        expect(JSON.parse(readFileSync(probe.logFile, 'utf8'))).toEqual({
          pid: 1,
          uid: 65_532,
          gid: 65_532,
          groups: [65_532],
          cwd: `/app/services/${service}`,
          capabilities: '0000000000000000',
          noNewPrivileges: '1',
          writes: {
            '.': 'EROFS',
            '/': 'EROFS',
            '/app': 'EROFS',
            '/app/node_modules': 'EROFS',
            '/nodejs/bin': 'EROFS',
            '/etc': 'EROFS',
            '/tmp': 'written',
          },
        });

        const container = await cluster.run(service, plan);
        await container.untilPasses('startup');
        await container.untilPasses('readiness');
        await container.untilPasses('liveness');
        const { Healthcheck } = await settingsOf(service);
        await engine.docker(['exec', container.name, ...Healthcheck.Test.slice(1)]);
        await container.signal('SIGTERM');
        expect(await container.ended).toBe(0);
      },
    );

    test('every service is replaced by a later version under load, each container finishes and exits 0 in time, and nothing is lost', async () => {
      await Promise.all(SERVICE_NAMES.map((service) => cluster.deployment(service).add(EARLIER)));
      const urlOf = (service: ServiceName) => cluster.deployment(service).url;
      const { id: companyId, owner } = stack.company('INSTALLER');
      const session = await signIn(urlOf('console'), owner);
      const beganAt = Date.now();
      const { history: subscription } = await openSubscription(session, {
        ...{ companyId, origin: new URL(stack.receiverUrl).origin, path: '/webhooks/containers' },
        events: ['install.status_changed', 'install.test'],
      });
      const load = await startSteadyLoad({ stack, urlOf, session });
      const retirements: Retirement[] = [];
      try {
        for (const service of SERVICE_NAMES) {
          await load.untilWritten(5);
          retirements.push(await cluster.deployment(service).replaceBy(LATER));
        }
        await load.untilWritten(5);
      } catch (error) {
        await load.stop();
        throw error;
      }
      const report = await load.stop();

      for (const { exitCode, stoppedInMs, allowedMs } of retirements) {
        expect(exitCode).toBe(0);
        expect(stoppedInMs).toBeLessThan(allowedMs);
      }
      await expectNothingLost(stack, { ...report, beganAt }, subscription);
      // The earlier version has understood messages with fields that it does not know.
      expect(stack.receivedStatusChanges.some(({ $unknown = [] }) => $unknown.length > 0)).toBe(true);
      expect(stack.receivedStatusChanges.some(({ $unknown = [] }) => $unknown.length === 0)).toBe(true);
    });
  });
});
