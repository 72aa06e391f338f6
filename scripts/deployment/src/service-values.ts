import { INGRESS_PATHS, type ServiceName } from '@partner/local-stack/stack/services';
import type { createChartWorkspace, Rendering } from './chart-workspace.js';

export function imageOf(service: ServiceName): { readonly repository: string } {
  return { repository: `registry.example.com/partner/${service}` };
}

export const SANDBOX_RUN = { imageTag: '0.2.0', since: '2026-01-01' } as const;

const REQUIRED: Readonly<Partial<Record<ServiceName, { readonly config: object }>>> = {
  console: { config: { publicBaseUrl: 'https://partner.example.org', mailFrom: 'partner-api@example.org' } },
};

function everything(service: ServiceName) {
  const isHttp = INGRESS_PATHS[service] !== undefined;
  return {
    environment: 'sandbox',
    image: {
      repository: 'registry.example.org:5000/partner/image',
      tag: '1.2.3',
      digest: `sha256:${'0'.repeat(64)}`,
    },
    imagePullSecrets: [{ name: 'registry' }],
    existingSecret: 'own-secret',
    config: {
      otelTracesExporter: 'otlp',
      otelExporterOtlpEndpoint: 'http://collector.monitoring:4318',
      ...REQUIRED[service]?.config,
      ...(service === 'console' && { oidcIssuer: 'https://login.example.org', oidcClientId: 'console' }),
    },
    autoscaling: { enabled: true, ...(!isHttp && { caSecret: 'broker-ca' }) },
    ...(isHttp && {
      ingress: {
        enabled: true,
        className: 'nginx',
        host: 'partner.example.org',
        tlsSecretName: 'tls',
        annotations: { 'example.org/a': 'b' },
      },
    }),
    ...(service === 'job-state' && {
      seed: { enabled: true },
      simulator: { enabled: true },
    }),
    networkPolicy: {
      dns: { cidrs: ['169.254.20.10/32'], ports: [53, 5353] },
      broker: { cidrs: ['10.0.0.5/32'] },
      extraIngress: [
        { from: [{ podSelector: { matchLabels: { app: 'probe' } } }], ports: [{ port: 'admin' }] },
      ],
      extraEgress: [{ to: [{ ipBlock: { cidr: '10.0.0.6/32' } }], ports: [{ protocol: 'TCP', port: 4317 }] }],
    },
    serviceAccount: { annotations: { 'example.org/role': 'none' } },
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
    dashboards: { enabled: true, labels: { team: 'partner' }, annotations: { grafana_folder: 'Partner' } },
    topologySpread: { zone: 'DoNotSchedule', hostname: 'DoNotSchedule' },
    ...(service !== 'job-state' && { maxSurge: '25%' }),
    priorityClassName: 'high',
    podLabels: { team: 'partner' },
    podAnnotations: { 'example.org/a': 'b' },
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [{ key: 'dedicated', operator: 'Exists' }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }] },
          ],
        },
      },
    },
    extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/partner/ca.pem' }],
    extraVolumes: [{ name: 'ca', configMap: { name: 'company-ca' } }],
    extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/partner', readOnly: true }],
    fullnameOverride: 'other-name',
  };
}

/** The sets of values that every chart is rendered with. */
export function valuesSets(chart: ServiceName): Readonly<Record<string, Rendering>> {
  const image = imageOf(chart);
  const released = { image, sandboxRun: SANDBOX_RUN };
  return {
    default: { chart, values: { image, ...REQUIRED[chart] } },
    dev: { chart, valuesFiles: ['values-dev.yaml'] },
    sandbox: { chart, valuesFiles: ['values-sandbox.yaml'], values: released },
    production: { chart, valuesFiles: ['values-production.yaml'], values: released },
    everything: { chart, release: 'blue', values: everything(chart) },
  };
}

type Workspace = Awaited<ReturnType<typeof createChartWorkspace>>;

/** Sends traces to the collector that follows. */
export const TRACES = 'config.otelTracesExporter=otlp,config.otelExporterOtlpEndpoint';

/** Renders a chart with values in the notation of `helm --set`, and with an image unless they name one. */
export function templateWith(workspace: Workspace, chart: ServiceName, set: string) {
  return workspace.template({ chart, values: { image: imageOf(chart) }, set });
}

const refusals = new Map<string, Promise<string>>();

/** Returns what Helm says about values that a chart must refuse; asks once for the same values. Throws if it renders anything. */
export function refusalOf(workspace: Workspace, chart: ServiceName, set: string): Promise<string> {
  const known = refusals.get(`${chart} ${set}`) ?? refuse(workspace, chart, set);
  refusals.set(`${chart} ${set}`, known);
  return known;
}

async function refuse(workspace: Workspace, chart: ServiceName, set: string): Promise<string> {
  const { exitCode, stdout, stderr } = await templateWith(workspace, chart, set);
  if (exitCode !== 1 || stdout !== '') throw new Error(`${chart} accepts ${set}`);
  return stderr;
}
