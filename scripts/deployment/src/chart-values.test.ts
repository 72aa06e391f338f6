import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { SERVICE_NAMES, type ServiceName } from '@partner/local-stack/stack/services';
import { type ChartWorkspace, createChartWorkspace } from './chart-workspace.js';
import { ensureHelm } from './ensure-helm.js';
import { workload } from './kubernetes-object.js';
import { ofKind } from './rules/deployment-rule.js';
import { imageOf, SANDBOX_RUN } from './service-values.js';

let workspace: ChartWorkspace;

beforeAll(async () => {
  workspace = await createChartWorkspace(await ensureHelm());
});

afterAll(() => workspace.remove());

const production = { environment: 'production', sandboxRun: SANDBOX_RUN };
/** A day in UTC, some days ago. */
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
/** The setting that the chart of the console cannot do without. */
const CONSOLE = { publicBaseUrl: 'https://partner.example.org' };

/** Values with which traces go to a collector. */
const traced = (otelExporterOtlpEndpoint: string) => ({
  config: { otelTracesExporter: 'otlp', otelExporterOtlpEndpoint },
});

/** Values that no chart accepts, and what Helm reports. */
const FOR_ALL: readonly (readonly [string, object, RegExp])[] = [
  ['a value that is not known', { replicas: 3 }, /additional properties 'replicas' not allowed/],
  [
    'a setting that is not known',
    { config: { logLevels: 'info' } },
    /additional properties 'logLevels' not allowed/,
  ],
  [
    'an environment that is not known',
    { environment: 'staging' },
    /at '\/environment': value must be one of/,
  ],
  ['a port that needs rights', { config: { adminPort: 80 } }, /at '\/config\/adminPort'.*80/],
  ['the version "latest"', { image: { tag: 'latest' } }, /image[./]tag/],
  ['no version', { image: { tag: '' } }, /image[./]tag/],
  ...['partner/a', 'partner-a', 'localhosts/a', 'partner:5000', 'partner/registry.example.com'].map(
    (repository) =>
      [
        `the repository ${repository}, which names no registry`,
        { image: { repository } },
        new RegExp(
          `image\\.repository \\(${repository}\\) names no registry, and would be pulled from docker\\.io`,
        ),
      ] as const,
  ),
  [
    'two digests',
    { image: { tag: `1@sha256:${'0'.repeat(64)}`, digest: `sha256:${'0'.repeat(64)}` } },
    /has a digest of its own/,
  ],
  ['no secret', { existingSecret: '' }, /existingSecret is not set: name the secret that holds AMQP_URL/],
  [
    'a secret in the values',
    { secretKeys: { amqpUrl: 'amqp://partner:secret@rabbitmq' } },
    /at '\/secretKeys\/amqpUrl'/,
  ],
  ['a file system that can be changed', { readOnlyRootFilesystem: false }, /only with development\.enabled/],
  [
    'a version in production that never ran in the sandbox',
    { environment: 'production' },
    /sandboxRun does not say since when this image runs in the sandbox: set sandboxRun\.imageTag to 0\.1\.0 /,
  ],
  [
    'a version in production in place of which another ran in the sandbox',
    { ...production, image: { tag: '0.2.0' } },
    /set sandboxRun\.imageTag to 0\.2\.0 /,
  ],
  [
    'a version in production that ran in the sandbox for less than 14 days',
    { ...production, sandboxRun: { ...SANDBOX_RUN, since: daysAgo(12) } },
    new RegExp(`is less than 14 days ago: production takes 0\\.1\\.0 from ${daysAgo(-2)} on`),
  ],
  [
    'an image in production in place of which another digest ran in the sandbox',
    { ...production, image: { digest: `sha256:${'0'.repeat(64)}` } },
    /set sandboxRun\.imageTag to 0\.1\.0@sha256:0{64} /,
  ],
  [
    'a day that the calendar does not have',
    { ...production, sandboxRun: { ...SANDBOX_RUN, since: '2026-02-30' } },
    /sandboxRun\.since \(2026-02-30\) is not a day of the calendar/,
  ],
  [
    'a blank reason for an early release',
    { environment: 'production', sandboxRun: { earlyReason: ' ' } },
    /sandboxRun does not say since when/,
  ],
  [
    'development in production',
    { ...production, development: { enabled: true } },
    /development\.enabled must be false in production/,
  ],
  [
    'a pod that is killed too early',
    { terminationGracePeriodSeconds: 20 },
    /terminationGracePeriodSeconds \(20\) is too short/,
  ],
  [
    'more replicas at least than at most',
    { autoscaling: { enabled: true, minReplicas: 9, maxReplicas: 3 } },
    /minReplicas \(9\) is more than autoscaling\.maxReplicas \(3\)/,
  ],
  [
    'a setting around its value',
    { extraEnv: [{ name: 'LOG_LEVEL', value: 'debug' }] },
    /extraEnv sets LOG_LEVEL/,
  ],
  [
    'a request of memory above the limit',
    { resources: { requests: { memory: '2Gi' } } },
    /resources\.requests\.memory \(2Gi\) is more than its limit/,
  ],
  ['less than no processor', { resources: { requests: { cpu: -1 } } }, /at '\/resources\/requests\/cpu'/],
  ['a secret without a possible name', { existingSecret: 'Bad_Name' }, /at '\/existingSecret'.*Bad_Name/],
  [
    'an account without a possible name',
    { serviceAccount: { name: 'A_b' } },
    /at '\/serviceAccount\/name'.*A_b/,
  ],
  ['a priority without a possible name', { priorityClassName: 'No_' }, /at '\/priorityClassName'.*No_/],
  ['a label that is none', { podLabels: { team: 'a b' } }, /at '\/podLabels\/team': 'a b'/],
  [
    'a toleration that is not known',
    { tolerations: [{ key: 'a', operator: 'Foo' }] },
    /at '\/tolerations\/0\/operator'/,
  ],
  ['an affinity that is not known', { affinity: { nodeAffinit: {} } }, /at '\/affinity'.*'nodeAffinit'/],
  [
    'a label of the chart',
    { podLabels: { 'app.kubernetes.io/name': 'other' } },
    /podLabels sets app\.kubernetes\.io\/name, which this chart sets/,
  ],
  [
    'a volume of the chart',
    { extraVolumes: [{ name: 'tmp', emptyDir: {} }] },
    /extraVolumes names the volume tmp, which is there already/,
  ],
  [
    'a variable twice',
    {
      extraEnv: [
        { name: 'EXTRA', value: 'a' },
        { name: 'EXTRA', value: 'b' },
      ],
    },
    /extraEnv sets EXTRA twice/,
  ],
  [
    'a scrape that lasts longer than its interval',
    { serviceMonitor: { interval: '30s', scrapeTimeout: '1m' } },
    /serviceMonitor\.scrapeTimeout \(1m\) is longer than serviceMonitor\.interval \(30s\)/,
  ],
  ['a surge of no pods', { maxSurge: 0 }, /at '\/maxSurge'/],
  ...['127.0.0.1', '::1', 'localhost', '10.0.0.7'].map(
    (adminHost) =>
      [
        `${adminHost} as the address that probes come to`,
        { config: { adminHost } },
        new RegExp(`config\\.adminHost \\(${adminHost}\\) must be 0\\.0\\.0\\.0, or :: for IPv6`),
      ] as const,
  ),
  ['traces for nobody', traced(''), /otelExporterOtlpEndpoint is empty: name the collector/],
  ...[
    ['http://collector.monitoring:4317', 4317],
    ['http://collector.monitoring/v1:4318', 80],
    ['https://[fd00::4318]', 443],
  ].map(
    ([endpoint, port]) =>
      [
        `traces to ${endpoint}, which no policy lets through`,
        traced(String(endpoint)),
        new RegExp(`leads to port ${port}, and networkPolicy\\.collector\\.ports lets .* 4318 alone`),
      ] as const,
  ),
];

const FOR_ONE: readonly (readonly [ServiceName, string, object, RegExp])[] = [
  ['console', 'no address', {}, /config\.publicBaseUrl is not set/],
  [
    'console',
    'an open address in production',
    { ...production, config: { publicBaseUrl: 'http://127.0.0.1:8083' } },
    /config\.publicBaseUrl must begin with https:\/\/ in production/,
  ],
  [
    'console',
    'an address that the service refuses',
    { config: { publicBaseUrl: 'http://console.partner:8080' } },
    /at '\/config\/publicBaseUrl': 'http:\/\/console\.partner:8080' does not match/,
  ],
  [
    'console',
    'a timeout that is no duration',
    { config: CONSOLE, httpRoute: { timeouts: { request: '5x' } } },
    /at '\/httpRoute\/timeouts\/request': '5x'/,
  ],
  [
    'inbound-gateway',
    'two ways in',
    {
      ingress: { enabled: true, host: 'a.example.org' },
      httpRoute: { enabled: true, hostnames: ['a.example.org'], parentRefs: [{ name: 'a' }] },
    },
    /choose one way in/,
  ],
  ['inbound-gateway', 'an ingress for any host', { ingress: { enabled: true } }, /ingress\.host is not set/],
  [
    'inbound-gateway',
    'a route for any host',
    { httpRoute: { enabled: true, parentRefs: [{ name: 'a' }] } },
    /httpRoute\.hostnames is empty/,
  ],
  [
    'inbound-gateway',
    'a route of no gateway',
    { httpRoute: { enabled: true, hostnames: ['a.example.org'] } },
    /httpRoute\.parentRefs is empty/,
  ],
  [
    'inbound-gateway',
    'requests that are cut off',
    { config: { shutdownGraceMs: 4000, rpcTimeoutMs: 5000 } },
    /would be cut off/,
  ],
  [
    'inbound-gateway',
    'more replicas than the rate limits are shared by',
    { replicaCount: 11 },
    /replicaCount \(11\) is more than config\.rateLimitReplicas \(10\)/,
  ],
  [
    'installer-gateway',
    'one port for callers and probes',
    { config: { httpPort: 9100 } },
    /config\.httpPort and config\.adminPort are both 9100/,
  ],
  [
    'inbound-gateway',
    'an address that no caller comes to',
    { config: { httpHost: '127.0.0.1' } },
    /config\.httpHost \(127\.0\.0\.1\) must be 0\.0\.0\.0/,
  ],
  [
    'job-state',
    'a seed that nothing is migrated for',
    { seed: { enabled: true }, migrations: { enabled: false } },
    /seed\.enabled needs migrations\.enabled/,
  ],
  [
    'job-state',
    'a seeded production',
    { ...production, seed: { enabled: true } },
    /seed\.enabled must be false in production/,
  ],
  [
    'job-state',
    'a simulated production',
    { ...production, simulator: { enabled: true } },
    /simulator\.enabled must be false in production/,
  ],
  [
    'job-state',
    'hasty retries in production',
    { ...production, config: { webhookRetryBaseMs: 100 } },
    /webhookRetryBaseMs must be 60000 in production/,
  ],
  [
    'webhook-dispatcher',
    'attempts that are cut off',
    { config: { shutdownGraceMs: 5000 } },
    /config\.shutdownGraceMs must be 15000 at least/,
  ],
  [
    'webhook-dispatcher',
    'fixed hosts outside of development',
    { config: { webhookDevHosts: 'a.example.org=10.0.0.1:443' } },
    /webhookDevHosts may be set only with development\.enabled/,
  ],
  [
    'webhook-dispatcher',
    'DNS servers that no policy lets through',
    { config: { dnsServers: '9.9.9.9:53' } },
    /config\.dnsServers \(9\.9\.9\.9:53\) needs networkPolicy\.dns\.cidrs/,
  ],
  [
    'webhook-dispatcher',
    'a port of DNS servers that no policy lets through',
    {
      config: { dnsServers: '9.9.9.9:53, [2620:fe::fe]:5300' },
      networkPolicy: { dns: { cidrs: ['9.9.9.9/32', '2620:fe::fe/128'], ports: [53, 5353] } },
    },
    /config\.dnsServers has the port 5300, and networkPolicy\.dns\.ports lets lookups through to 53, 5353 alone/,
  ],
  [
    'webhook-dispatcher',
    'a database',
    { secretKeys: { postgresUrl: 'POSTGRES_URL' } },
    /additional properties 'postgresUrl' not allowed/,
  ],
];

const group = z.looseObject({}).default({});
const groups = z.looseObject({ image: group, config: group });

/** Values beside those that are refused. */
const TAKEN: readonly (readonly [ServiceName, string, object])[] = [
  ['job-state', 'a version that ran in the sandbox for 14 days', production],
  [
    'job-state',
    'a younger version with a reason',
    { environment: 'production', sandboxRun: { earlyReason: 'fixes a leak of contact data' } },
  ],
  ['inbound-gateway', 'IPv6', { config: { adminHost: '::', httpHost: '::' } }],
  ['job-state', 'a collector on its port', traced('http://collector.monitoring:4318/v1')],
  [
    'job-state',
    'a collector on another port',
    { ...traced('https://[fd00::1]'), networkPolicy: { collector: { ports: [4318, 443] } } },
  ],
  [
    'job-state',
    'a collector where no policy is',
    { ...traced('http://localhost:4317'), networkPolicy: { enabled: false } },
  ],
  ['job-state', 'migrations by other means', { migrations: { enabled: false } }],
  [
    'webhook-dispatcher',
    'DNS servers of its own',
    {
      config: { dnsServers: '9.9.9.9:53 , [2620:fe::fe]:5353' },
      networkPolicy: { dns: { cidrs: ['9.9.9.9/32', '2620:fe::fe/128'], ports: [53, 5353] } },
    },
  ],
  [
    'webhook-dispatcher',
    'DNS servers where no policy is',
    { config: { dnsServers: '9.9.9.9:5353' }, networkPolicy: { enabled: false } },
  ],
];

/** What Helm says of a chart that is told where its image is, unless the values say so, and the values. */
function templateWith(service: ServiceName, values: object) {
  const image = { ...imageOf(service), ...groups.parse(values).image };
  return workspace.template({ chart: service, values: { ...values, image } });
}

async function refusalOf(service: ServiceName, values: object): Promise<string> {
  const { exitCode, stdout, stderr } = await templateWith(service, values);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  return stderr;
}

// All charts have these values of one declaration, and validate them by one template.
test.each(FOR_ALL)('a chart refuses %s [VERSION-5]', async (_what, values, refusal) => {
  await expect(refusalOf('inbound-gateway', values)).resolves.toMatch(refusal);
});

test.each(SERVICE_NAMES)('the chart of %s validates its values', async (service) => {
  const refusal = await refusalOf(service, { ...production, development: { enabled: true } });
  expect(refusal).toMatch(/development\.enabled must be false in production/);
});

test.each(FOR_ONE)('the chart of %s refuses %s', async (service, _what, values, refusal) => {
  await expect(refusalOf(service, values)).resolves.toMatch(refusal);
});

test.each(TAKEN)('the chart of %s takes %s [VERSION-5]', async (service, _what, values) => {
  const { exitCode, stderr } = await templateWith(service, values);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
});

test.each(
  SERVICE_NAMES.flatMap((service) => ['production', 'sandbox'].map((name) => [service, name] as const)),
)(
  '%s: values-%s.yaml has to be told where the image is and, in production, since when it runs in the sandbox',
  async (service, name) => {
    const { exitCode, stderr } = await workspace.template({
      chart: service,
      valuesFiles: [`values-${name}.yaml`],
    });
    expect(exitCode).toBe(1);
    const faults = stderr.split('\n').filter((line) => line.startsWith('  - '));
    expect(faults).toEqual([
      expect.stringContaining(`image.repository (partner/${service})`),
      ...(name === 'production' ? [expect.stringContaining('sandboxRun does not say')] : []),
    ]);
  },
);

test.each(['registry.example.com/a', 'registry:5000/partner/a', 'localhost/a', 'docker.io/partner/a'])(
  'an image at %s is taken',
  async (repository) => {
    const [deployment] = await workspace
      .objects({ chart: 'job-state', values: { image: { repository, tag: '1.2.3' } } })
      .then((objects) => ofKind({ objects }, 'Deployment', workload));
    expect(deployment?.spec.template.spec.containers[0]?.image).toBe(`${repository}:1.2.3`);
  },
);

test('every fault is told at once', async () => {
  const refusal = await refusalOf('job-state', {
    environment: 'production',
    existingSecret: '',
    seed: { enabled: true },
    terminationGracePeriodSeconds: 5,
  });
  for (const fault of [/existingSecret/, /seed\.enabled/, /terminationGracePeriodSeconds/]) {
    expect(refusal).toMatch(fault);
  }
});

test.each([
  ['postgres', { image: { tag: 'latest' } }, /at '\/image\/tag'/],
  ['rabbitmq', { allowedServices: [] }, /at '\/allowedServices'/],
  ['redis', { storage: '1Gi' }, /additional properties 'storage' not allowed/],
  ['dev-secrets', { sealingKeys: 'none' }, /at '\/sealingKeys'/],
  ['dev-secrets', { sessionKeys: 'none' }, /at '\/sessionKeys'/],
])('the chart %s refuses values that it can not use', async (chart, values, refusal) => {
  const { exitCode, stderr } = await workspace.template({ chart, values });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(refusal);
});
