import { afterAll, expect, test } from '@jest/globals';
import type { ServiceName } from '@partner/local-stack/stack/services';
import { createChartWorkspace } from './chart-workspace.js';
import { TRACES, valueTrials } from './try-values.js';

const workspace = await createChartWorkspace();
afterAll(() => workspace.remove());
const { refusalOf } = valueTrials(workspace);

/** Values of a wrong form, by what names them in the message: Kubernetes, or the service, would refuse them. */
const WRONG_FORMS: readonly (readonly [ServiceName, values: string, ...sets: readonly string[]])[] = [
  [
    'inbound-gateway',
    'image/repository',
    ...[
      'https://registry.example.com/a',
      'partner:5000',
      'r.example.com/A',
      'r.example.com/a:1',
      'r.example.com//a',
    ].map((name) => `image.repository=${name}`),
  ],
  [
    'inbound-gateway',
    'imagePullSecrets/0',
    'imagePullSecrets[0].name=Bad_Name',
    'imagePullSecrets[0].secret=a',
  ],
  ['inbound-gateway', 'existingSecret', 'existingSecret=a..b', 'existingSecret=a.-b'],
  ['inbound-gateway', 'secretKeys/amqpUrl', 'secretKeys.amqpUrl=..key', 'secretKeys.amqpUrl=.'],
  [
    'inbound-gateway',
    'networkPolicy/broker/cidrs/0',
    ...[
      '300.0.0.0/8',
      '10.0.0.0/33',
      '10.0.0.0',
      '010.0.0.0/8',
      'fd00::/129',
      'fd00:::/8',
      'g::/8',
      '1:2:3/8',
    ].map((cidr) => `networkPolicy.broker.cidrs={${cidr}}`),
  ],
  [
    'webhook-dispatcher',
    'networkPolicy/internet/except',
    'networkPolicy.internet.exceptIpv4={2a00::/16}',
    'networkPolicy.internet.exceptIpv4={0.0.0.0/0}',
    'networkPolicy.internet.exceptIpv6={fd00::/8}',
    'networkPolicy.internet.exceptIpv6={10.0.0.0/8}',
    'networkPolicy.internet.exceptIpv6={2a00:::::/32}',
    'networkPolicy.internet.exceptIpv6={2a00:1:2:3:4:5:6:7:8/32}',
    'networkPolicy.internet.exceptIpv6={2a00:12345::/32}',
  ],
  [
    'inbound-gateway',
    'networkPolicy/extraEgress/0',
    'networkPolicy.extraEgress[0].from[0].ipBlock.cidr=10.0.0.0/8',
    'networkPolicy.extraEgress[0].to[0].ipBlock.cidr=300.0.0.0/8',
    'networkPolicy.extraEgress[0].ports[0].port=70000',
    'networkPolicy.extraEgress[0].ports[0].protocol=tcp',
    'networkPolicy.extraEgress[0].ports[0].endPort=80',
    'networkPolicy.extraEgress[0].ports[0].port=https,networkPolicy.extraEgress[0].ports[0].endPort=80',
    ...['key=a,operator=In', 'key=a,operator=NotIn', 'key=a,operator=Exists,values={b}'].map((text) =>
      text.replaceAll(
        /(^|,)(?=[a-z])/g,
        '$1networkPolicy.extraEgress[0].to[0].podSelector.matchExpressions[0].',
      ),
    ),
  ],
  ['inbound-gateway', 'networkPolicy/broker/namespace', 'networkPolicy.broker.namespace=Bad_Name'],
  [
    'inbound-gateway',
    'networkPolicy/broker/ports/0',
    'networkPolicy.broker.ports={0}',
    'networkPolicy.broker.ports={65536}',
  ],
  [
    'inbound-gateway',
    'extraVolumes/0',
    'extraVolumes[0].name=Bad_Name,extraVolumes[0].emptyDir.sizeLimit=1Mi',
    'extraVolumes[0].name=a.b,extraVolumes[0].emptyDir.sizeLimit=1Mi',
    'extraVolumes[0].name=a',
    'extraVolumes[0].name=a,extraVolumes[0].secret.secretName=a,extraVolumes[0].configMap.name=a',
  ],
  [
    'inbound-gateway',
    'extraVolumeMounts/0',
    'extraVolumeMounts[0].name=tmp,extraVolumeMounts[0].mountPath=etc/a',
    'extraVolumeMounts[0].name=tmp,extraVolumeMounts[0].mountPath=/a:b',
    'extraVolumeMounts[0].name=tmp',
    'extraVolumeMounts[0].name=tmp,extraVolumeMounts[0].mountPath=/a,extraVolumeMounts[0].subPath=../b',
  ],
  [
    'inbound-gateway',
    'extraEnv/0',
    'extraEnv[0].name=1A,extraEnv[0].value=a',
    'extraEnv[0].name=A,extraEnv[0].value=5',
    'extraEnv[0].name=A,extraEnv[0].valueFrom.secret.name=a',
  ],
  ['inbound-gateway', 'podLabels', 'podLabels.a=b c'],
  ['inbound-gateway', "invalid propertyName 'a..b/c'", 'podLabels.a\\.\\.b/c=d'],
  ['inbound-gateway', "invalid propertyName '-a'", 'podAnnotations.-a=b'],
  [
    'inbound-gateway',
    'tolerations/0',
    'tolerations[0].operator=Exists,tolerations[0].value=a',
    'tolerations[0].operator=Equal',
    'tolerations[0].key=a,tolerations[0].tolerationSeconds=5',
  ],
  [
    'inbound-gateway',
    'resources/requests/cpu',
    'resources.requests.cpu=0.0001',
    'resources.requests.cpu=0.5m',
  ],
  [
    'inbound-gateway',
    'resources/limits/memory',
    'resources.limits.memory=0Mi',
    'resources.limits.memory=1GB',
  ],
  ['inbound-gateway', 'serviceMonitor/interval', 'serviceMonitor.interval=0s'],
  ['inbound-gateway', 'ingress/host', 'ingress.host=10.0.0.7', `ingress.host=${'a'.repeat(64)}.example.org`],
  ['inbound-gateway', 'ingress/className', 'ingress.className=Bad_Name'],
  [
    'inbound-gateway',
    'httpRoute/hostnames/0',
    'httpRoute.hostnames={10.0.0.7}',
    'httpRoute.hostnames={a_b.example.org}',
  ],
  [
    'inbound-gateway',
    'httpRoute/hostnames',
    `httpRoute.hostnames={${Array.from({ length: 17 }, (_, index) => `h${index}.example.org`).join(',')}}`,
  ],
  [
    'console',
    'httpRoute/sessionPersistence',
    'httpRoute.sessionPersistence.cookieConfig.lifetimeType=Permanent',
  ],
  [
    'inbound-gateway',
    'httpRoute/parentRefs/0',
    'httpRoute.parentRefs[0].name=Bad_Name',
    'httpRoute.parentRefs[0].port=0',
  ],
  [
    'inbound-gateway',
    'config/otelExporterOtlpEndpoint',
    ...['http://', 'http://a b', 'http://a:99999', 'http://300.1.1.1:4318'].map((url) => `${TRACES}=${url}`),
  ],
  [
    'console',
    'config/publicBaseUrl',
    ...[
      'https://x.example/console',
      'https://x.example?a',
      'https://u@x.example',
      'https://',
      'https://x.example:99999',
    ].map((url) => `config.publicBaseUrl=${url}`),
  ],
  [
    'console',
    'config/oidcIssuer',
    ...['http://login.example', 'https://', 'https://login.example?a'].map(
      (url) => `config.oidcIssuer=${url}`,
    ),
  ],
  [
    'webhook-dispatcher',
    'config/dnsServers',
    ...['9.9.9.9', '999.9.9.9:53', '9.9.9.9:0', '[fd00::g]:53'].map(
      (server) => `config.dnsServers=${server}`,
    ),
  ],
  [
    'webhook-dispatcher',
    'config/webhookDevHosts',
    'config.webhookDevHosts=a',
    'config.webhookDevHosts=a=999.1.1.1:443',
  ],
];

test.each(
  WRONG_FORMS.flatMap(([service, value, ...sets]) => sets.map((set) => [service, set, value] as const)),
)('the schema of %s refuses %s', async (service, set, value) => {
  expect(await refusalOf(service, set)).toContain(value.includes(' ') ? value : `at '/${value}`);
});
