import { afterAll, expect, test } from '@jest/globals';
import { SERVICE_NAMES, type ServiceName } from '@partner/local-stack/stack/services';
import { createChartWorkspace } from './chart-workspace.js';
import { refusalOf, SANDBOX_RUN, templateWith, TRACES } from './service-values.js';

const workspace = await createChartWorkspace();
afterAll(() => workspace.remove());

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const DIGEST = `sha256:${'0'.repeat(64)}`;
const RAN = `sandboxRun.imageTag=${SANDBOX_RUN.imageTag},sandboxRun.since=${SANDBOX_RUN.since}`;
const PRODUCTION = `environment=production,${RAN}`;
const DNS_CIDRS = 'networkPolicy.dns.cidrs={9.9.9.9/32,2620:fe::fe/128},networkPolicy.dns.ports={53,5353}';

/** Rules of a policy: one for each range with an exception. */
const exceptIn = (peers: string, ranges: readonly (readonly [cidr: string, except: string])[]) =>
  ranges
    .map(([cidr, except], index) => {
      const block = `networkPolicy.${peers.replace('[]', `[${index}]`)}[0].ipBlock`;
      return `${block}.cidr=${cidr},${block}.except={${except}}`;
    })
    .join(',');
/** Ranges, and exceptions that are outside, the same, or wider. */
const OUTSIDE = [
  ['10.0.0.0/8', '192.168.0.0/16'],
  ['10.0.0.0/8', '10.0.0.0/8'],
  ['10.1.0.0/16', '10.0.0.0/8'],
  ['10.1.128.0/17', '10.1.127.0/24'],
  ['0.0.0.0/0', 'fd00::/8'],
  ['fd00::/8', 'fe80::/10'],
  ['2001:db8:0:8000::/49', '2001:db8::/64'],
  ['::/0', '::/0'],
] as const;
const WITHIN = [
  ['0.0.0.0/0', '10.0.0.0/8'],
  ['10.1.128.0/17', '10.1.255.7/32'],
  ['::/0', 'fd00::/8'],
  ['2001:db8:0:8000::/49', '2001:db8:0:ffff::1/128'],
  ['1:2:3:4:5:6:7:0/112', '1:2:3:4:5:6:7:8/128'],
] as const;

const unnamedRegistry = (name: string): Refusals => ({
  [`image.repository=${name}`]: new RegExp(
    `image\\.repository \\(${name}\\) names no registry, and would be pulled from docker\\.io`,
  ),
});
const hiddenAdmin = (host: string): Refusals => ({
  [`config.adminHost=${host}`]: new RegExp(
    `config\\.adminHost \\(${host}\\) must be 0\\.0\\.0\\.0, or :: for IPv6`,
  ),
});
const plaintextTraces = (end: string): Refusals => ({
  [`${PRODUCTION},${TRACES}=${end}`]:
    /must begin with https:\/\/ in production, or config\.allowPlaintext must name OTEL_EXPORTER_OTLP_ENDPOINT/,
});
const DEVELOPMENT: Refusals = {
  [`${PRODUCTION},development.enabled=true`]: /development\.enabled must be false in production/,
};

type Refusals = Readonly<Record<string, RegExp | readonly RegExp[]>>;

/**
 * Values that no chart accepts, in the notation of `helm --set`, and what Helm reports. Those of one group are rendered together: a
 * chart reports every violation at once.
 */
const FOR_ALL: readonly Refusals[] = [
  {
    'environment=production':
      /sandboxRun does not say since when this image runs in the sandbox: set sandboxRun\.imageTag to \S+ /,
    'existingSecret=': /existingSecret is not set: name the secret that holds AMQP_URL/,
    'readOnlyRootFilesystem=false': /only with development\.enabled/,
    'terminationGracePeriodSeconds=20': /terminationGracePeriodSeconds \(20\) is too short/,
    'autoscaling.enabled=true,autoscaling.minReplicas=9,autoscaling.maxReplicas=3':
      /minReplicas \(9\) is more than autoscaling\.maxReplicas \(3\)/,
    ...unnamedRegistry('partner/a'),
    ...hiddenAdmin('127.0.0.1'),
    [`${TRACES}=`]: /otelExporterOtlpEndpoint is empty: name the collector/,
  },
  {
    [`${PRODUCTION},image.tag=99.0.0`]: /set sandboxRun\.imageTag to 99\.0\.0 /,
    ...unnamedRegistry('partner-a'),
    ...hiddenAdmin('::1'),
    [`${TRACES}=http://collector.monitoring:4317`]:
      /leads to port 4317, but networkPolicy\.collector\.ports allows only .*4318/,
    'extraEnv[0].name=LOG_LEVEL,extraEnv[0].value=debug': /extraEnv sets LOG_LEVEL/,
    'extraVolumes[0].name=tmp,extraVolumes[0].emptyDir.sizeLimit=1Mi':
      /extraVolumes names the volume tmp, which already exists/,
    'extraVolumeMounts[0].name=ca,extraVolumeMounts[0].mountPath=/ca':
      /extraVolumeMounts mounts the volume ca, which extraVolumes does not name/,
  },
  {
    [`${PRODUCTION},sandboxRun.since=${daysAgo(12)}`]: new RegExp(
      `is less than 14 days ago: production accepts \\S+ from ${daysAgo(-2)} on`,
    ),
    ...unnamedRegistry('localhosts/a'),
    ...hiddenAdmin('localhost'),
    [`${TRACES}=http://collector.monitoring/v1:4318`]:
      /leads to port 80, but networkPolicy\.collector\.ports allows only .*4318/,
    'extraEnv[0].name=EXTRA,extraEnv[1].name=EXTRA': /extraEnv sets EXTRA twice/,
    'extraVolumeMounts[0].name=tmp,extraVolumeMounts[0].mountPath=/tmp/':
      /extraVolumeMounts mounts at \/tmp\/, where a volume is mounted already/,
    'resources.requests.memory=2Gi': /resources\.requests\.memory \(2Gi\) is more than its limit/,
  },
  {
    [`${PRODUCTION},image.digest=${DIGEST}`]: /set sandboxRun\.imageTag to \S+@sha256:0{64} /,
    ...unnamedRegistry('partner/registry.example.com'),
    ...hiddenAdmin('10.0.0.7'),
    [`${TRACES}=https://[fd00::4318]`]:
      /leads to port 443, but networkPolicy\.collector\.ports allows only .*4318/,
    'podLabels.app\\.kubernetes\\.io/name=other':
      /podLabels sets app\.kubernetes\.io\/name, which this chart sets/,
    'serviceMonitor.interval=30s,serviceMonitor.scrapeTimeout=1m':
      /serviceMonitor\.scrapeTimeout \(1m\) is longer than serviceMonitor\.interval \(30s\)/,
    'networkPolicy.extraEgress[0].ports[0].port=443,networkPolicy.extraEgress[0].ports[0].endPort=80':
      /networkPolicy\.extraEgress has ports from 443 to 80/,
  },
  {
    [`${PRODUCTION},sandboxRun.since=2026-02-30`]:
      /sandboxRun\.since \(2026-02-30\) is not a day of the calendar/,
    [`${TRACES}=http://collector.monitoring:4318,config.allowPlaintext=AMQP_URL`]:
      /otelExporterOtlpEndpoint .* must begin with https:\/\//,
  },
  {
    'environment=production,sandboxRun.earlyReason= ': /sandboxRun does not say since when/,
    'image.tag=': /image\.tag must name one version/,
    ...Object.fromEntries(
      ['extraIngress[].from', 'extraEgress[].to'].map((peers) => [
        exceptIn(peers, OUTSIDE),
        OUTSIDE.map(
          ([cidr, except]) =>
            new RegExp(`${peers.slice(0, peers.indexOf('['))} excepts ${except}, .* within ${cidr}$`, 'm'),
        ),
      ]),
    ),
  },
  DEVELOPMENT,
  {
    ...plaintextTraces('http://collector.monitoring:4318'),
    [`image.tag=1@${DIGEST},image.digest=${DIGEST}`]: /has a digest as well/,
  },
  {
    ...plaintextTraces('http://127.0.0.1.example:4318'),
    'image.tag=latest': /image\.tag must name one version/,
  },
  plaintextTraces('http://localhostess:4318'),
];

const FOR_ONE: Readonly<Record<ServiceName, readonly Refusals[]>> = {
  console: [
    {
      'config.publicBaseUrl=': /config\.publicBaseUrl is not set/,
      'httpRoute.timeouts.request=1m30s,httpRoute.timeouts.backendRequest=2m':
        /timeouts\.backendRequest \(2m\) is longer than httpRoute\.timeouts\.request \(1m30s\)/,
      'config.oidcIssuer=https://login.example': /config\.oidcIssuer is set, and config\.oidcClientId is not/,
    },
    {
      ...DEVELOPMENT,
      'config.oidcIssuer=http://127.0.0.1:9000':
        /config\.oidcIssuer must begin with https:\/\/ in production/,
      'config.publicBaseUrl=http://127.0.0.1:8083':
        /config\.publicBaseUrl must begin with https:\/\/ in production/,
    },
  ],
  'inbound-gateway': [
    {
      'ingress.enabled=true,ingress.host=a.example.org,httpRoute.enabled=true,httpRoute.hostnames={a.example.org},httpRoute.parentRefs[0].name=a':
        /enable only one of them/,
      'config.shutdownGraceMs=4000,config.rpcTimeoutMs=5000': /would be cut off/,
      'replicaCount=11': /replicaCount \(11\) is more than config\.rateLimitReplicas \(10\)/,
      'config.httpHost=127.0.0.1': /config\.httpHost \(127\.0\.0\.1\) must be 0\.0\.0\.0/,
    },
    {
      'ingress.enabled=true': /ingress\.host is not set/,
      'httpRoute.enabled=true,httpRoute.parentRefs[0].name=a': /httpRoute\.hostnames is empty/,
    },
    { 'httpRoute.enabled=true,httpRoute.hostnames={a.example.org}': /httpRoute\.parentRefs is empty/ },
  ],
  'installer-gateway': [
    { ...DEVELOPMENT, 'config.httpPort=9100': /config\.httpPort and config\.adminPort are both 9100/ },
  ],
  'job-state': [
    {
      ...DEVELOPMENT,
      'seed.enabled=true': /seed\.enabled must be false in production/,
      'seed.enabled=true,migrations.enabled=false': /seed\.enabled needs migrations\.enabled/,
      'simulator.enabled=true': /simulator\.enabled must be false in production/,
      'config.webhookRetryBaseMs=100': /webhookRetryBaseMs must be 60000 in production/,
    },
  ],
  'webhook-dispatcher': [
    {
      'config.shutdownGraceMs=5000': /config\.shutdownGraceMs must be 15000 at least/,
      'config.webhookDevHosts=a.example.org=10.0.0.1:443':
        /webhookDevHosts may be set only with development\.enabled/,
      'config.dnsServers=9.9.9.9:53': /config\.dnsServers \(9\.9\.9\.9:53\) needs networkPolicy\.dns\.cidrs/,
    },
    {
      ...DEVELOPMENT,
      'config.webhookDevCaFile=/receiver/ca.pem,extraVolumeMounts[0].name=tmp,extraVolumeMounts[0].mountPath=/rec':
        /config\.webhookDevCaFile \(\/receiver\/ca\.pem\) is in no volume of extraVolumeMounts/,
      [`config.dnsServers=9.9.9.9:53\\, [2620:fe::fe]:5300,${DNS_CIDRS}`]:
        /config\.dnsServers has the port 5300, and networkPolicy\.dns\.ports lets lookups through to 53, 5353 alone/,
    },
  ],
};

const TAKEN: Readonly<Record<ServiceName, readonly string[]>> = {
  console: [
    'config.publicBaseUrl=https://a.example.org,httpRoute.timeouts.request=0s,httpRoute.timeouts.backendRequest=2m,httpRoute.sessionPersistence.cookieConfig.lifetimeType=Permanent,httpRoute.sessionPersistence.absoluteTimeout=1h',
  ],
  'inbound-gateway': [
    'config.adminHost=::,config.httpHost=::,networkPolicy.broker.cidrs={0.0.0.0/0,10.0.0.1/32,::/0,fd00::1/128,::1/128,1:2:3:4:5:6:7:8/64}',
    'extraVolumes[0].name=ca,extraVolumes[0].secret.secretName=ca,extraVolumeMounts[0].name=ca,extraVolumeMounts[0].mountPath=/ca,extraVolumeMounts[0].subPath=a/..b,resources.requests.cpu=0.25,secretKeys.amqpUrl=.amqp',
    'httpRoute.enabled=true,httpRoute.hostnames={localhost,a.example.org},httpRoute.parentRefs[0].name=public,httpRoute.parentRefs[0].sectionName=https,tolerations[0].operator=Exists,tolerations[1].key=a,tolerations[1].value=b,tolerations[1].effect=NoExecute,tolerations[1].tolerationSeconds=5',
    'networkPolicy.extraEgress[0].to[0].podSelector.matchLabels.app=a,networkPolicy.extraEgress[0].ports[0].port=443',
    'networkPolicy.extraEgress[0].ports[0].port=80,networkPolicy.extraEgress[0].ports[0].endPort=80,networkPolicy.extraEgress[0].ports[1].port=https-1',
    exceptIn('extraEgress[].to', WITHIN),
  ],
  'installer-gateway': [],
  'job-state': [
    PRODUCTION,
    'environment=production,sandboxRun.earlyReason=fixes a leak of contact data',
    `${TRACES}=http://collector.monitoring:4318/v1`,
    `${TRACES}=https://[fd00::1],networkPolicy.collector.ports={4318,443}`,
    `${TRACES}=http://localhost:4317,networkPolicy.enabled=false`,
    `${PRODUCTION},${TRACES}=http://collector.monitoring:4318,config.allowPlaintext=AMQP_URL\\,OTEL_EXPORTER_OTLP_ENDPOINT`,
    `${PRODUCTION},${TRACES}=http://[::1]:4318`,
    'migrations.enabled=false',
  ],
  'webhook-dispatcher': [
    'networkPolicy.internet.exceptIpv6={2a00:1450::/32},networkPolicy.internet.exceptIpv4={8.8.8.8/32}',
    'development.enabled=true,config.webhookDevCaFile=/ca.pem,extraVolumes[0].name=ca,extraVolumes[0].secret.secretName=ca,extraVolumeMounts[0].name=ca,extraVolumeMounts[0].mountPath=/ca.pem,extraVolumeMounts[0].subPath=ca.pem',
    `config.dnsServers=9.9.9.9:53 \\, [2620:fe::fe]:5353,${DNS_CIDRS}`,
    'config.dnsServers=9.9.9.9:5353,networkPolicy.enabled=false',
  ],
};

// All charts have these values of one declaration, and validate them by one template.
const REFUSED = SERVICE_NAMES.flatMap((service) =>
  [...(service === 'inbound-gateway' ? FOR_ALL : []), ...FOR_ONE[service]].flatMap((group) =>
    Object.entries(group).map(([set, expected]) => ({
      ...{ service, set, group: Object.keys(group).join(','), expected: [expected].flat() },
    })),
  ),
);

test.each(REFUSED)('the chart of $service refuses $set [VERSION-5]', async ({ service, group, expected }) => {
  const refusal = await refusalOf(workspace, service, group);
  for (const violation of expected) expect(refusal).toMatch(violation);
});

test.each(SERVICE_NAMES.flatMap((service) => TAKEN[service].map((set) => [service, set] as const)))(
  'the chart of %s accepts %s [VERSION-5]',
  async (service, set) => {
    const { exitCode, stderr } = await templateWith(workspace, service, set);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  },
);

test.each(
  SERVICE_NAMES.flatMap((service) => ['production', 'sandbox'].map((name) => [service, name] as const)),
)(
  "%s: values-%s.yaml needs the image's repository and, in production, the start of its run in the sandbox",
  async (service, name) => {
    const { exitCode, stderr } = await workspace.template({
      chart: service,
      valuesFiles: [`values-${name}.yaml`],
    });
    expect(exitCode).toBe(1);
    const violations = stderr.split('\n').filter((line) => line.startsWith('  - '));
    expect(violations).toEqual([
      expect.stringContaining(`image.repository (partner/${service})`),
      ...(name === 'production' ? [expect.stringContaining('sandboxRun does not say')] : []),
    ]);
  },
);
