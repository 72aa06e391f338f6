import { parse } from 'yaml';
import { z } from 'zod';
import { readProjectFile } from '@partner/local-stack/project-root';
import type { ServiceName } from '@partner/local-stack/stack/services';
import { CHART_FACTS, servesHttp } from './chart-facts.js';
import { jobStateValues } from './job-state-values.js';
import { httpValues, networkPolicyValues } from './network-values.js';
import { secretKey, settingsValues, settingValue } from './settings-values.js';
import { toValueSchema, type ValueSchema } from './value-schema.js';
import * as types from './value-types.js';

const { annotations, flag, group, labels, text, whole } = types;

function appVersion(service: ServiceName): string {
  const chart: unknown = parse(readProjectFile(`charts/${service}/Chart.yaml`));
  return z.looseObject({ appVersion: z.string() }).parse(chart).appVersion;
}

function imageValues(service: ServiceName) {
  const repository = `partner/${service}`;
  return {
    replicaCount: whole(0, 100).default(2).describe('Replicas if `autoscaling` is disabled.'),
    image: group('Image of the service.', {
      repository: types.repository
        .default(repository)
        .describe(
          `Repository without the tag. It begins with a registry, e.g. \`registry.example.com/${repository}\`, unless \`development.enabled\`.`,
        ),
      tag: types.imageTag
        .default(appVersion(service))
        .describe('One version. `latest` and an empty tag need `development.enabled`.'),
      digest: types.digest.default('').describe('Digest of the image, `sha256:…`. It pins the bytes.'),
      pullPolicy: z
        .enum(['Always', 'IfNotPresent', 'Never'])
        .default('IfNotPresent')
        .describe('When the image is pulled.'),
    }),
    sandboxRun: z
      .strictObject({
        imageTag: types.imageTag
          .default('')
          .describe('Version in the sandbox. Equals `image.tag`, followed by `@` and `image.digest` if set.'),
        since: types.day.default('').describe('Day since which it runs there, e.g. `2026-11-01`.'),
        earlyReason: text
          .max(200)
          .default('')
          .describe(
            'Reason for a version that has run there for less than 14 days, e.g. a security fix. Release notes and the metric `partner_release_info` show it.',
          ),
      })
      .describe(
        'Run of this version in the sandbox. Production refuses a version that has run there for less than 14 days.',
      ),
    imagePullSecrets: types.pullSecrets
      .default([])
      .describe('Secrets of the registry, e.g. `[{name: registry}]`.'),
    existingSecret: types.objectName
      .default(`partner-${service}`)
      .describe('Name of the existing secret with the settings below `secretKeys`. The chart creates none.'),
  };
}

function podValues(service: ServiceName) {
  const { resources, nodeHeapPercent } = CHART_FACTS[service];
  const drainsRequests = servesHttp(service);
  return {
    resources: types.resourcesValues(resources).describe('Resources of a pod.'),
    nodeHeapPercent: whole(25, 90, 'percent')
      .default(nodeHeapPercent)
      .describe("Node's heap as a share of the memory limit. Buffers, sockets and threads need the rest."),
    tmpSizeLimit: types.memory.default('64Mi').describe('Size of `/tmp`, the only writable directory.'),
    preStopSleepSeconds: whole(1, 120, 'seconds')
      .default(drainsRequests ? 10 : 5)
      .describe('How long a stopping pod continues as before, while load balancers remove it.'),
    terminationGracePeriodSeconds: whole(5, 900, 'seconds')
      .default(drainsRequests ? 45 : 40)
      .describe(
        'Time after which a stopping pod is killed. At least `preStopSleepSeconds` and `config.shutdownGraceMs` together.',
      ),
    revisionHistoryLimit: whole(1, 50).default(5).describe('Number of former versions kept for a rollback.'),
    maxSurge: types.surge
      .default(1)
      .describe(
        'Additional pods during an upgrade, as a number or a percentage of the replicas, e.g. `25%`.',
      ),
    progressDeadlineSeconds: whole(60, 7_200, 'seconds')
      .default(180)
      .describe('Time without progress after which a rollout has failed.'),
  };
}

function autoscalingValues(service: ServiceName) {
  const { maxReplicas, messagesPerReplica } = CHART_FACTS[service];
  const queues = Object.entries(messagesPerReplica);
  const byCpu = {
    targetCpuPercent: whole(10, 100, 'percent').default(70).describe('Target share of the requested CPU.'),
  };
  const byQueues = {
    managementUrlKey: types.key
      .default('AMQP_MANAGEMENT_URL')
      .describe(
        "Key of `existingSecret` with the URL of RabbitMQ's management API, `https://user:password@host:15671/vhost`. Its user has the tag `monitoring`.",
      ),
    caSecret: types.objectName
      .default('')
      .describe(
        'Secret with the private CA of that API: the certificate under `ca.crt`, and `enable` under `tls`. Empty: a public CA.',
      ),
    vhost: text.default('').describe('Virtual host of the queues. Empty: the one of the URL.'),
    pollingIntervalSeconds: whole(1, 300, 'seconds')
      .default(15)
      .describe('How often the length of the queues is read.'),
    cooldownSeconds: whole(0, 3_600, 'seconds')
      .default(300)
      .describe('How long fewer replicas must suffice before some are removed.'),
    messagesPerReplica: z
      .strictObject(
        Object.fromEntries(
          queues.map(([name, [messages, description]]) => [
            name,
            whole(1, 100_000).default(messages).describe(description),
          ]),
        ),
      )
      .describe('Messages waiting or in flight for one replica, by queue.'),
  };
  return z
    .strictObject({
      enabled: flag
        .default(false)
        .describe(
          queues.length > 0 ? 'Creates a ScaledObject of KEDA.' : 'Creates a HorizontalPodAutoscaler.',
        ),
      minReplicas: whole(1, 100).default(2).describe('Minimum number of replicas.'),
      maxReplicas: whole(1, 100)
        .default(maxReplicas)
        .describe(
          service === 'job-state'
            ? 'Maximum number of replicas. Each uses `config.postgresPoolSize` plus 5 connections to Postgres.'
            : 'Maximum number of replicas.',
        ),
      ...(queues.length > 0 ? byQueues : byCpu),
    })
    .describe(queues.length > 0 ? 'Scales by the length of queues. Needs KEDA.' : 'Scales by CPU.');
}

function schedulingValues() {
  const whenUneven = z.enum(['ScheduleAnyway', 'DoNotSchedule']).default('ScheduleAnyway');
  return {
    podDisruptionBudget: group('Draining nodes removes one pod at a time.', {
      enabled: flag.default(true).describe('Creates a PodDisruptionBudget.'),
    }),
    topologySpread: group('Spreads the pods.', {
      zone: whenUneven.describe('What the scheduler does if it cannot spread the pods evenly over zones.'),
      hostname: whenUneven.describe(
        'What the scheduler does if it cannot spread the pods evenly over nodes.',
      ),
    }),
  };
}

function monitoringValues() {
  const operatorLabels = labels.default({}).describe('Labels by which Prometheus selects it.');
  return {
    serviceAccount: group('Account of the pods. It has no permissions, and no pod gets its token.', {
      create: flag.default(true).describe('Creates the account.'),
      name: types
        .namePart(63)
        .default('')
        .describe("Name of the account. Empty: the release's name, or `default` if none is created."),
      annotations: annotations.default({}).describe('Annotations of the account.'),
    }),
    serviceMonitor: group('Scrapes the metrics with the Prometheus operator.', {
      enabled: flag.default(false).describe('Creates a ServiceMonitor.'),
      labels: operatorLabels,
      interval: types.prometheusDuration.default('30s').describe('Interval of scrapes.'),
      scrapeTimeout: types.prometheusDuration.default('10s').describe('Timeout of a scrape.'),
    }),
    prometheusRule: group('Alerts of `rules/alerts.yaml` for the Prometheus operator.', {
      enabled: flag.default(false).describe('Creates a PrometheusRule.'),
      labels: operatorLabels,
    }),
    dashboards: group("Dashboards of `dashboards/` for Grafana's sidecar.", {
      enabled: flag.default(false).describe('Creates ConfigMaps labeled `grafana_dashboard: "1"`.'),
      labels: labels.default({}).describe('Additional labels.'),
      annotations: annotations.default({}).describe('Annotations, e.g. `grafana_folder`.'),
    }),
  };
}

function extensionValues() {
  return {
    priorityClassName: types.objectName.default('').describe('Priority class of the pods.'),
    podLabels: labels.default({}).describe('Additional labels of the pods.'),
    podAnnotations: annotations.default({}).describe('Additional annotations of the pods.'),
    nodeSelector: labels.default({}).describe('Labels of nodes that the pods may run on.'),
    tolerations: types.tolerations.default([]).describe('Taints of nodes that the pods tolerate.'),
    affinity: types.affinity.default({}).describe('Affinity of the pods, besides `topologySpread`.'),
    extraEnv: types.variables
      .default([])
      .describe('Additional environment variables, as in a container. None that the chart sets.'),
    extraVolumes: types.volumes
      .default([])
      .describe('Additional volumes of the pods: a name, and one source.'),
    extraVolumeMounts: types.volumeMounts
      .default([])
      .describe('Where the container mounts them: `name`, `mountPath`, `readOnly`, `subPath`.'),
    nameOverride: types.namePart(42).default('').describe("Replaces the chart's name in names and labels."),
    fullnameOverride: types.namePart(50).default('').describe("Replaces the release's name in names."),
    readOnlyRootFilesystem: flag
      .default(true)
      .describe('May be false with `development.enabled`, for an image that compiles.'),
    development: group("For a developer's cluster.", {
      enabled: flag
        .default(false)
        .describe('Accepts values that are refused elsewhere. Never in production.'),
    }),
  };
}

/** Keys for the programs besides job-state: each signs in as a separate user. */
const JOB_STATE_KEYS = {
  postgresOwnerUrl: secretKey('POSTGRES_OWNER_URL', "URL of the database for the schema's owner."),
  simulatorAmqpUrl: secretKey('SIMULATOR_AMQP_URL', 'URL of RabbitMQ for `simulator.enabled`.'),
};

export function chartValues(service: ServiceName): ValueSchema {
  const { config, secretKeys } = settingsValues(service);
  const values = z.strictObject({
    environment: settingValue(service, 'PARTNER_ENVIRONMENT', { default: 'sandbox' }),
    ...imageValues(service),
    secretKeys: group('Keys of `existingSecret`.', {
      ...secretKeys,
      ...(service === 'job-state' && JOB_STATE_KEYS),
    }),
    config: z
      .strictObject(config)
      .describe(
        'Settings of the service: `rpcTimeoutMs` sets the environment variable `RPC_TIMEOUT_MS`, and so on. The service has its own default for an empty value.',
      ),
    ...podValues(service),
    autoscaling: autoscalingValues(service),
    ...schedulingValues(),
    ...(servesHttp(service) && httpValues(service)),
    networkPolicy: networkPolicyValues(service),
    ...monitoringValues(),
    ...(service === 'job-state' && jobStateValues()),
    ...extensionValues(),
  });
  return toValueSchema(values, 'input');
}
