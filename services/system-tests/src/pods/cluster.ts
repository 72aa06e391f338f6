import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createChartWorkspace } from '@partner/deployment/chart-workspace';
import { ensureHelm } from '@partner/deployment/ensure-helm';
import type { KubernetesObject } from '@partner/deployment/kubernetes-object';
import { PROJECT_ROOT } from '@partner/local-stack/stack/project-root';
import { INGRESS_PATHS, SERVICE_NAMES, type ServiceName } from '@partner/local-stack/stack/services';
import { freePort } from '@partner/test-kit/backing-services/local-process';
import { startBalancer } from './balancer.js';
import { sandboxValues, secretNameOf, type PodSurroundings } from './chart-values.js';
import { type ContainerImage, makeImage } from './container-image.js';
import { LATER_VERSION_MODULE, laterVersionModule } from './later-version.js';
import { type PodPlan, planPod, type Secrets } from './pod-plan.js';
import { type Pod, type PodEnd, startPod } from './start-pod.js';

/** The version that runs, and one that comes after it. */
export const VERSIONS = ['0.1.0', '0.2.0'] as const;

export type Version = (typeof VERSIONS)[number];

/** All times of the charts' shutdowns but the services' own go by this much faster here. */
export const TIME_SCALE = 0.1;

/** How long it takes, once a pod is to go, until no new connection is sent to it; shorter than the chart's preStop. */
const PROPAGATION_SECONDS = 3;

/** How a pod has gone. */
export interface Retirement extends PodEnd {
  /** From SIGTERM to the end. */
  readonly stoppedInMs: number;
  /** What SIGTERM leaves of the termination grace period after preStop. */
  readonly allowedMs: number;
}

/** The pods of one service, as its Deployment and Service would have them. */
export interface Deployment {
  readonly service: ServiceName;
  /** Where its callers find it; only of a service that serves HTTP. */
  readonly url: string;
  readonly pods: readonly Pod[];
  /** Starts one more pod and resolves once its startup and readiness probes are good and it is an endpoint. */
  add(version: Version): Promise<Pod>;
  /**
   * Has a pod go: it is no endpoint any more after the time of propagation, and gets SIGTERM after its preStop. Resolves once it
   * has ended; kills it when its grace period is over.
   */
  retire(
    pod: Pod,
    around?: { readonly beforeSigterm: () => Promise<void>; readonly afterSigterm: () => Promise<void> },
  ): Promise<Retirement>;
}

/** The five services, each as pods of its chart. */
export interface Cluster {
  deployment(service: ServiceName): Deployment;
  /** The plan of a service's pods by other values than the cluster's. */
  plan(service: ServiceName, values: unknown): Promise<PodPlan>;
  /** Runs a container of a plan that is no pod of a deployment. */
  run(service: ServiceName, plan: PodPlan, command?: readonly string[]): Promise<Pod>;
  /** Runs the chart's migration to its end. */
  migrate(): Promise<PodEnd & { readonly pod: Pod }>;
  stop(): Promise<void>;
}

/** What the secrets of the services hold here. */
export interface SecretValues {
  readonly amqpUrl: string;
  readonly postgresUrl: string;
  readonly redisUrl: string;
  readonly sealingKeys: string;
  readonly cursorKey: string;
}

/** Renders the charts and makes the images, and starts nothing. The parts have to run. */
export async function createCluster(options: {
  readonly secrets: SecretValues;
  readonly surroundings: Omit<PodSurroundings, 'consoleUrl'>;
}): Promise<Cluster> {
  const { secrets: values } = options;
  const place = path.join(PROJECT_ROOT, '.stack');
  mkdirSync(place, { recursive: true });
  const directory = mkdtempSync(path.join(place, 'pods-'));
  const secrets: Secrets = Object.fromEntries(
    SERVICE_NAMES.map((service) => [secretNameOf(service), secretOf(service, values)]),
  );
  const workspace = await createChartWorkspace(await ensureHelm());
  const images = new Map<ServiceName, ContainerImage>(
    await Promise.all(
      SERVICE_NAMES.map(
        async (service) =>
          [service, await makeImage(service, path.join(directory, 'images', service))] as const,
      ),
    ),
  );
  const imageOf = (service: ServiceName) => {
    const image = images.get(service);
    if (image === undefined) throw new Error(`there is no image of ${service}`);
    return image;
  };
  for (const service of SERVICE_NAMES) {
    writeFileSync(
      path.join(imageOf(service).app, 'services', service, LATER_VERSION_MODULE),
      laterVersionModule(),
    );
  }
  const endpoints = new Map<ServiceName, Set<Pod>>(SERVICE_NAMES.map((service) => [service, new Set()]));
  const balancers = new Map(
    await Promise.all(
      SERVICE_NAMES.filter((service) => INGRESS_PATHS[service] !== undefined).map(
        async (service) =>
          [
            service,
            await startBalancer(() => [...(endpoints.get(service) ?? [])].map((pod) => pod.port('http'))),
          ] as const,
      ),
    ),
  );
  const urlOf = (service: ServiceName) => balancers.get(service)?.url ?? '';
  const surroundings = { ...options.surroundings, consoleUrl: urlOf('console') };
  const planOf = async (service: ServiceName, chartValues: unknown) =>
    planPod(
      await workspace.objects({ chart: service, values: chartValues }),
      { kind: 'Deployment', name: service },
      imageOf(service).config,
      secrets,
    );
  const started: Pod[] = [];
  let podNumber = 0;
  let isStopped = false;

  async function run(service: ServiceName, plan: PodPlan, command?: readonly string[]): Promise<Pod> {
    podNumber += 1;
    const name = `${service}-${podNumber}`;
    const ports: Record<string, number> = {};
    for (const portName of Object.keys(plan.ports)) ports[portName] = await freePort();
    if (isStopped) throw new Error('the cluster is stopped');
    const pod = startPod({
      name,
      plan,
      app: imageOf(service).app,
      ports,
      directory,
      ...(command !== undefined && { command }),
    });
    started.push(pod);
    return pod;
  }

  function createDeployment(service: ServiceName): Deployment {
    const pods = new Set<Pod>();
    const served = endpoints.get(service);
    const plans = new Map<Version, Promise<PodPlan>>();
    const planOfVersion = (version: Version) => {
      const plan = plans.get(version) ?? planOf(service, sandboxValues(service, version, surroundings));
      plans.set(version, plan);
      return plan;
    };
    return {
      service,
      url: urlOf(service),
      get pods() {
        return [...pods];
      },
      async add(version) {
        const plan = await planOfVersion(version);
        const pod = await run(service, plan, version === '0.1.0' ? undefined : laterCommand(plan));
        pods.add(pod);
        await pod.untilGood('startup');
        await pod.untilGood('readiness');
        served?.add(pod);
        return pod;
      },
      async retire(pod, around) {
        const { preStopSeconds, terminationGraceSeconds } = pod.plan;
        // Not a wait for a state: these are the two clocks that run side by side once a pod is to go.
        const propagated = delay(PROPAGATION_SECONDS * 1_000 * TIME_SCALE).then(() => served?.delete(pod));
        await delay(preStopSeconds * 1_000 * TIME_SCALE);
        await propagated;
        await around?.beforeSigterm();
        const allowedMs = (terminationGraceSeconds - preStopSeconds) * 1_000;
        const killing = new AbortController();
        const killed = delay(allowedMs, undefined, { signal: killing.signal }).then(
          () => pod.signal('SIGKILL'),
          () => undefined,
        );
        const beganAt = performance.now();
        pod.signal('SIGTERM');
        try {
          await around?.afterSigterm();
        } finally {
          await pod.ended;
          killing.abort();
          await killed;
          pods.delete(pod);
        }
        return { ...(await pod.ended), stoppedInMs: performance.now() - beganAt, allowedMs };
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
    plan: planOf,
    run,
    async migrate() {
      const objects: readonly KubernetesObject[] = await workspace.objects({
        chart: 'job-state',
        values: sandboxValues('job-state', VERSIONS[1], surroundings),
      });
      const which = { kind: 'Job', name: 'job-state-migrate' } as const;
      const pod = await run('job-state', planPod(objects, which, imageOf('job-state').config, secrets));
      return { ...(await pod.ended), pod };
    },
    async stop() {
      isStopped = true;
      for (const pod of started) pod.signal('SIGKILL');
      await Promise.all(started.map((pod) => pod.ended));
      await Promise.all([...balancers.values()].map((balancer) => balancer.close()));
      workspace.remove();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The later version is the same build that is told to be another one. */
function laterCommand({ command }: PodPlan): readonly string[] {
  const [node = '', ...args] = command;
  return [node, '--import', `./${LATER_VERSION_MODULE}`, ...args];
}

function secretOf(service: ServiceName, values: SecretValues): Record<string, string> {
  const broker = { AMQP_URL: values.amqpUrl };
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
      return { ...broker, REDIS_URL: values.redisUrl, CURSOR_SIGNING_KEY: values.cursorKey };
    case 'inbound-gateway':
    case 'console':
      return { ...broker, REDIS_URL: values.redisUrl };
  }
}
