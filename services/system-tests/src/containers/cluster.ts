import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createChartWorkspace } from '@partner/deployment/chart-workspace';
import { startTcpProxy } from '@partner/test-kit/tcp-proxy';
import { INGRESS_PATHS, SERVICE_NAMES, type ServiceName } from '@partner/local-stack/stack/services';
import { sandboxValues, secretNameOf, type PodSurroundings } from './chart-values.js';
import { type Container, startContainer } from './container.js';
import { type ContainerPlan, planContainer, type Secrets } from './container-plan.js';
import type { Engine } from './engine.js';
import { imageOf } from './images.js';
import { LATER_VERSION_MODULE, laterVersionModule } from './later-version.js';

/** The version that runs, and one that comes after it. */
export const VERSIONS = ['0.2.0', '0.3.0'] as const;

type Version = (typeof VERSIONS)[number];

/** The delays of the charts before SIGTERM pass this much faster here. */
const TIME_SCALE = 0.1;

/** Time until no new connection is sent to a pod that is to end; shorter than the chart's preStop. */
const PROPAGATION_SECONDS = 3;

export interface Retirement {
  readonly exitCode: number;
  /** From SIGTERM to the end. */
  readonly stoppedInMs: number;
  /** The part of the termination grace period that preStop leaves. */
  readonly allowedMs: number;
}

/** The containers of one service, with what a Deployment and a Service do for them. */
interface Deployment {
  /** The address for its callers; empty if the service has no HTTP. */
  readonly url: string;
  /** Starts one more container and resolves once it passes its probes and is an endpoint. */
  add(version: Version): Promise<void>;
  /**
   * Starts a container of this version beside the only one, and ends that one: it stops being an endpoint after the time of
   * propagation and gets SIGTERM after its preStop. Resolves once it has ended; kills it when its grace period is over.
   */
  replaceBy(version: Version): Promise<Retirement>;
}

export interface Cluster {
  deployment(service: ServiceName): Deployment;
  /** How a workload of a service's chart runs with these values. */
  plan(
    service: ServiceName,
    values: unknown,
    workload?: { kind: 'Job'; name: string },
  ): Promise<ContainerPlan>;
  /** Runs a container that belongs to no deployment. */
  run(service: ServiceName, plan: ContainerPlan): Promise<Container>;
  stop(): Promise<void>;
}

export interface SecretValues {
  readonly amqpUrl: string;
  readonly postgresUrl: string;
  readonly redisUrl: string;
  readonly sealingKeys: string;
  readonly cursorKey: string;
  readonly sessionKeys: string;
}

/** Prepares the charts and starts nothing. The backing services have to run, and the images have to be built. */
export async function createCluster(
  engine: Engine,
  options: { readonly secrets: SecretValues; readonly surroundings: Omit<PodSurroundings, 'consoleUrl'> },
): Promise<Cluster> {
  const directory = mkdtempSync(path.join(tmpdir(), 'cluster-'));
  const secrets: Secrets = Object.fromEntries(
    SERVICE_NAMES.map((service) => [secretNameOf(service), secretOf(service, options.secrets)]),
  );
  const workspace = await createChartWorkspace();
  const laterVersion = path.join(directory, LATER_VERSION_MODULE);
  writeFileSync(laterVersion, laterVersionModule());
  // As a Service of Kubernetes: a connection stays at its endpoint, also after that has been taken away.
  const balancers = new Map(
    await Promise.all(
      SERVICE_NAMES.filter((service) => INGRESS_PATHS[service] !== undefined).map(
        async (service) => [service, await startTcpProxy('http://127.0.0.1:1')] as const,
      ),
    ),
  );
  const urlOf = (service: ServiceName) => (balancers.get(service)?.url ?? '').replace(/\/$/, '');
  const surroundings = { ...options.surroundings, consoleUrl: urlOf('console') };
  const started: Container[] = [];

  const plan: Cluster['plan'] = async (service, values, which) => {
    const objects = await workspace.objects({ chart: service, values });
    return planContainer(objects, which ?? { kind: 'Deployment', name: service }, secrets);
  };
  const run: Cluster['run'] = async (service, containerPlan) => {
    const name = `${service}-${started.length + 1}`;
    const container = await startContainer(engine, {
      name,
      image: imageOf(service),
      plan: containerPlan,
      directory,
    });
    started.push(container);
    return container;
  };
  /** The later version is the same image with a module that changes what it sends. */
  const inVersion = (containerPlan: ContainerPlan, service: ServiceName, version: Version): ContainerPlan => {
    if (version === VERSIONS[0]) return containerPlan;
    const file = `/app/services/${service}/${LATER_VERSION_MODULE}`;
    return {
      ...containerPlan,
      options: [...containerPlan.options, '--volume', `${laterVersion}:${file}:ro`],
      env: {
        ...containerPlan.env,
        NODE_OPTIONS: `${containerPlan.env['NODE_OPTIONS'] ?? ''} --import=${file}`,
      },
    };
  };

  function createDeployment(service: ServiceName): Deployment {
    const containers = new Set<Container>();
    const endpoints = new Set<Container>();
    const route = () =>
      balancers
        .get(service)
        ?.leadTo(...[...endpoints].map((endpoint) => `http://127.0.0.1:${endpoint.port('http')}`));
    async function add(version: Version): Promise<void> {
      const chartPlan = await plan(service, sandboxValues(service, version, surroundings));
      const container = await run(service, inVersion(chartPlan, service, version));
      containers.add(container);
      await container.untilPasses('startup');
      await container.untilPasses('readiness');
      endpoints.add(container);
      route();
    }
    return {
      url: urlOf(service),
      add,
      async replaceBy(version) {
        const [container] = containers;
        if (container === undefined) throw new Error(`${service} has no container`);
        await add(version);
        const { preStopSeconds, terminationGraceSeconds } = container.plan;
        // Not a wait for a state: these are the two clocks that run in parallel once a pod is to end.
        const propagated = delay(PROPAGATION_SECONDS * 1_000 * TIME_SCALE).then(() => {
          endpoints.delete(container);
          route();
        });
        await delay(preStopSeconds * 1_000 * TIME_SCALE);
        await propagated;
        const allowedMs = (terminationGraceSeconds - preStopSeconds) * 1_000;
        const killing = setTimeout(() => void container.signal('SIGKILL'), allowedMs);
        const beganAt = performance.now();
        await container.signal('SIGTERM');
        const exitCode = await container.ended;
        clearTimeout(killing);
        containers.delete(container);
        return { exitCode, stoppedInMs: performance.now() - beganAt, allowedMs };
      },
    };
  }

  const deployments = new Map(SERVICE_NAMES.map((service) => [service, createDeployment(service)]));
  return {
    deployment(service) {
      const found = deployments.get(service);
      if (found === undefined) throw new Error(`there is no deployment ${service}`);
      return found;
    },
    plan,
    run,
    async stop() {
      await Promise.all(started.map((container) => container.signal('SIGKILL').catch(() => undefined)));
      await Promise.all(started.map((container) => container.ended));
      await Promise.all([...balancers.values()].map((balancer) => balancer.close()));
      workspace.remove();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function secretOf(service: ServiceName, values: SecretValues): Record<string, string> {
  const broker = { AMQP_URL: values.amqpUrl };
  const http = { REDIS_URL: values.redisUrl, CURSOR_SIGNING_KEY: values.cursorKey };
  switch (service) {
    case 'job-state':
      return {
        ...broker,
        POSTGRES_URL: values.postgresUrl,
        POSTGRES_OWNER_URL: values.postgresUrl,
        WEBHOOK_SEALING_KEYS: values.sealingKeys,
      };
    case 'webhook-dispatcher':
      return { ...broker, WEBHOOK_SEALING_KEYS: values.sealingKeys };
    case 'installer-gateway':
    case 'inbound-gateway':
      return { ...broker, ...http };
    case 'console':
      return { ...broker, ...http, SESSION_KEYS: values.sessionKeys };
  }
}
