import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SERVICE_NAMES, type ServiceName } from '@partner/local-stack/stack/services';
import type { SandboxCompany } from '@partner/local-stack/stack/stack-description';
import { newId } from '@partner/kernel/ids';
import { eventually } from '@partner/test-kit/eventually';
import { sendCall } from '@partner/test-kit/http-call';
import { createActiveSubscription, type OwnerSession, signIn } from './support/owner-session.js';
import { assignNewJob } from './support/platform-job.js';
import { productionValues } from './pods/chart-values.js';
import { type Cluster, type Retirement, VERSIONS } from './pods/cluster.js';
import { expectNothingLost } from './pods/expect-nothing-lost.js';
import {
  type HeldWork,
  holdAttempts,
  holdRequest,
  holdStatusEvents,
  keepConnection,
  type KeptConnection,
} from './pods/hold-work.js';
import { startClusterStack } from './pods/start-cluster-stack.js';
import type { Pod } from './pods/start-pod.js';
import { startSteadyLoad, type SteadyLoad } from './pods/steady-load.js';
import { defineWithPods } from './pods/define-with-pods.js';
import { apiKeyOf, type TestStack } from './support/test-stack.js';

const [VERSION] = VERSIONS;
const PATH = '/webhooks/pods';
const HELD_JOBS = 12;

/** Tells what the process may do, as what and where. */
const LOOK_AROUND = `
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
  devDependency: fs.existsSync('/app/node_modules/typescript'),
}));
`;

await defineWithPods(() => {
  let stack: TestStack;
  let cluster: Cluster;
  let installer: SandboxCompany;
  let seller: SandboxCompany;
  let session: OwnerSession;
  const gate = createGate();

  beforeAll(async () => {
    ({ stack, cluster } = await startClusterStack(({ path }) =>
      path === PATH ? { kind: 'status', status: 204, until: gate.passed() } : 204,
    ));
    const [firstInstaller] = stack.companies('INSTALLER');
    const [firstSeller] = stack.companies('SALES');
    if (firstInstaller === undefined || firstSeller === undefined)
      throw new Error('the sandbox lacks companies');
    installer = firstInstaller;
    seller = firstSeller;
  });

  afterAll(async () => {
    await cluster.stop();
    await stack.stop();
  });

  describe('with the values of a production', () => {
    test('the migration runs to its end', async () => {
      expect(await cluster.migrate()).toMatchObject({ exitCode: 0, signal: null });
    });

    test.each(SERVICE_NAMES)(
      '%s starts as its chart runs it: with no rights, on files that it can not change',
      async (service) => {
        const plan = await cluster.plan(service, productionValues(service));
        expect(plan).toMatchObject({
          workdir: `/app/services/${service}`,
          env: { PARTNER_ENVIRONMENT: 'production', NODE_ENV: 'production' },
          ports: { admin: 9_100 },
        });

        const [node = ''] = plan.command;
        const probe = await cluster.run(service, plan, [node, '-e', LOOK_AROUND]);
        expect(await probe.ended).toMatchObject({ exitCode: 0 });
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
          devDependency: false,
        });

        const pod = await cluster.run(service, plan);
        await pod.untilGood('startup');
        await pod.untilGood('readiness');
        await pod.untilGood('liveness');
        pod.signal('SIGTERM');
        expect(await pod.ended).toEqual({ exitCode: 0, signal: null });
      },
    );

    test.each(SERVICE_NAMES)(
      '%s that waits for the broker at its start has started and is alive, so that no kubelet ends it, and is not ready',
      async (service) => {
        const plan = await cluster.plan(service, productionValues(service));
        const broker = new URL(plan.env['AMQP_URL'] ?? '');
        broker.port = '1';
        const pod = await cluster.run(service, {
          ...plan,
          env: { ...plan.env, AMQP_URL: broker.href },
        });
        await pod.untilGood('startup');
        await pod.untilGood('liveness');
        const { readiness } = plan.probes;
        expect(readiness !== undefined && (await pod.ask(readiness))).toBe(false);
        pod.signal('SIGTERM');
        expect(await pod.ended).toEqual({ exitCode: 0, signal: null });
      },
    );
  });

  describe('under load', () => {
    beforeAll(async () => {
      await Promise.all(SERVICE_NAMES.map((service) => cluster.deployment(service).add(VERSION)));
      session = await signIn(cluster.deployment('console').url, installer.owner);
      await createActiveSubscription(session, {
        url: `${stack.receiverUrl}/pods`,
        events: ['install.status_changed', 'install.test'],
      });
    });

    test.each(SERVICE_NAMES)(
      '%s that has to go with work in hand is unready at once, finishes, ends with 0 in its time, and nothing is lost',
      async (service) => {
        const load = await startSteadyLoad({
          stack,
          urlOf: (each) => cluster.deployment(each).url,
          installer,
          seller,
          session,
        });
        const { retirement, statuses } = await replaceWithWorkInHand(service, load).catch(
          async (error: unknown) => {
            await load.stop();
            throw error;
          },
        );
        const report = await load.stop();

        expect(retirement).toMatchObject({ exitCode: 0, signal: null });
        expect(retirement.stoppedInMs).toBeLessThan(retirement.allowedMs);
        for (const status of statuses) expect([200, 201]).toContain(status);
        expect(await expectNothingLost(stack, report, PATH)).toBe(0);
      },
    );
  });

  /** Starts another pod and has the one that there was go while it has work in hand, whose answers come to `statuses`. */
  async function replaceWithWorkInHand(
    service: ServiceName,
    load: SteadyLoad,
  ): Promise<{ readonly retirement: Retirement; readonly statuses: readonly number[] }> {
    const deployment = cluster.deployment(service);
    const [old] = deployment.pods;
    if (old === undefined) throw new Error(`${service} has no pod`);
    const jobs = await Promise.all(Array.from({ length: HELD_JOBS }, () => newJob()));
    await deployment.add(VERSION);
    await load.untilWritten(5);

    let held: HeldWork | undefined;
    let kept: KeptConnection | undefined;
    let statuses: readonly number[] = [];
    const retirement = await deployment.retire(old, {
      beforeSigterm: async () => {
        held = await holdWork(service, old, jobs);
        if (deployment.url !== '') kept = await keepConnection(old);
      },
      afterSigterm: async () => {
        expect(await firstUnreadyAnswer(old)).toMatchObject({ status: 503, body: { ready: false } });
        if (kept !== undefined) {
          // Not cut off in the face of a request: answered, and told to go on over another connection.
          expect(await kept.useAgain()).toEqual({ status: 404, isSame: true, connection: 'close' });
        }
        await old.untilGood('liveness');
        statuses = (await held?.release()) ?? [];
      },
    });
    await load.untilWritten(5);
    return { retirement, statuses };
  }

  function newJob() {
    return assignNewJob(
      { ...stack, baseUrl: cluster.deployment('installer-gateway').url },
      {
        sellingCompanyId: seller.id,
        installerCompanyId: installer.id,
        installerKey: apiKeyOf(installer, 'installer-company'),
      },
    );
  }

  function holdWork(
    service: ServiceName,
    pod: Pod,
    jobs: readonly { readonly id: string; readonly version: number }[],
  ): Promise<HeldWork> {
    const [job] = jobs;
    const apiKey = apiKeyOf(installer, 'installer-company');
    switch (service) {
      case 'job-state':
        return holdStatusEvents(stack, {
          baseUrl: cluster.deployment('installer-gateway').url,
          apiKey,
          jobs,
        });
      case 'webhook-dispatcher':
        return holdAttempts(pod, gate);
      case 'installer-gateway':
        return holdRequest(pod, {
          path: `/partner/v1/jobs/${job?.id ?? ''}/status-events`,
          headers: { 'x-api-key': apiKey, 'idempotency-key': newId('evt') },
          body: {
            status: 'ACKNOWLEDGED',
            occurredAt: new Date().toISOString(),
            expectedVersion: job?.version,
          },
        });
      case 'inbound-gateway':
        return holdRequest(pod, {
          path: '/inbound/leads',
          headers: { 'x-api-key': apiKeyOf(seller, 'general'), 'idempotency-key': newId('evt') },
          body: {
            fullName: 'Ada Lovelace',
            email: 'ada@example.com',
            phone: '+1 512 555 0100',
            address: `${newId('evt')} Main Street, Austin, TX 78701`,
          },
        });
      case 'console':
        return holdRequest(pod, {
          path: '/partner-api/session',
          headers: { origin: session.headers.origin },
          body: seller.owner,
        });
    }
  }
});

/** What `/readyz` answers as soon as it is not 200 any more. */
async function firstUnreadyAnswer(pod: Pod): Promise<{ readonly status: number; readonly body: unknown }> {
  return eventually(
    'the pod is not ready',
    async () => {
      const { status, json } = await sendCall(`http://127.0.0.1:${pod.port('admin')}`, '/readyz');
      return status !== 200 && { status, body: json };
    },
    { everyMs: 1 },
  );
}

/** Lets pass while it is open, and keeps everybody waiting from `shut` to `open`. */
function createGate() {
  let passed = Promise.resolve();
  let letPass: () => void = () => undefined;
  return {
    passed: () => passed,
    shut() {
      passed = new Promise((resolve) => {
        letPass = resolve;
      });
    },
    open() {
      letPass();
    },
  };
}
