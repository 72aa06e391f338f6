import { afterAll, expect, test } from '@jest/globals';
import { SERVICE_NAMES, type ServiceName } from '@partner/local-stack/stack/services';
import { createChartWorkspace } from './chart-workspace.js';
import { refusalOf, TRACES } from './service-values.js';

const workspace = await createChartWorkspace();
afterAll(() => workspace.remove());

const EXPRESSION = 'networkPolicy.extraEgress[0].to[0].podSelector.matchExpressions[0].';
const HOSTS = Array.from({ length: 17 }, (_, index) => `h${index}.example.org`).join(',');

/**
 * Values of a wrong form: Kubernetes, or the service, would refuse them. Below a service, and what names the value in the message,
 * each line has one wrong form.
 */
const WRONG_FORMS = String.raw`
inbound-gateway additional properties 'replicas' not allowed
  replicas=3
inbound-gateway config/adminPort
  config.adminPort=80
webhook-dispatcher additional properties 'postgresUrl' not allowed
  secretKeys.postgresUrl=POSTGRES_URL
inbound-gateway image/repository
  image.repository=https://registry.example.com/a
  image.repository=partner:5000
  image.repository=r.example.com/A
  image.repository=r.example.com/a:1
  image.repository=r.example.com//a
inbound-gateway imagePullSecrets/0
  imagePullSecrets[0].name=Bad_Name
  imagePullSecrets[0].secret=a
inbound-gateway existingSecret
  existingSecret=a..b
  existingSecret=a.-b
inbound-gateway secretKeys/amqpUrl
  secretKeys.amqpUrl=..key
  secretKeys.amqpUrl=.
inbound-gateway networkPolicy/broker/cidrs/0
  networkPolicy.broker.cidrs={300.0.0.0/8}
  networkPolicy.broker.cidrs={10.0.0.0/33}
  networkPolicy.broker.cidrs={10.0.0.0}
  networkPolicy.broker.cidrs={010.0.0.0/8}
  networkPolicy.broker.cidrs={fd00::/129}
  networkPolicy.broker.cidrs={fd00:::/8}
  networkPolicy.broker.cidrs={g::/8}
  networkPolicy.broker.cidrs={1:2:3/8}
webhook-dispatcher networkPolicy/internet/except
  networkPolicy.internet.exceptIpv4={2a00::/16}
  networkPolicy.internet.exceptIpv4={0.0.0.0/0}
  networkPolicy.internet.exceptIpv6={fd00::/8}
  networkPolicy.internet.exceptIpv6={10.0.0.0/8}
  networkPolicy.internet.exceptIpv6={2a00:::::/32}
  networkPolicy.internet.exceptIpv6={2a00:1:2:3:4:5:6:7:8/32}
  networkPolicy.internet.exceptIpv6={2a00:12345::/32}
inbound-gateway networkPolicy/extraEgress/0
  networkPolicy.extraEgress[0].from[0].ipBlock.cidr=10.0.0.0/8
  networkPolicy.extraEgress[0].to[0].ipBlock.cidr=300.0.0.0/8
  networkPolicy.extraEgress[0].ports[0].port=70000
  networkPolicy.extraEgress[0].ports[0].protocol=tcp
  networkPolicy.extraEgress[0].ports[0].endPort=80
  networkPolicy.extraEgress[0].ports[0].port=https,networkPolicy.extraEgress[0].ports[0].endPort=80
  ${EXPRESSION}key=a,${EXPRESSION}operator=In
  ${EXPRESSION}key=a,${EXPRESSION}operator=NotIn
  ${EXPRESSION}key=a,${EXPRESSION}operator=Exists,${EXPRESSION}values={b}
inbound-gateway networkPolicy/broker/namespace
  networkPolicy.broker.namespace=Bad_Name
inbound-gateway networkPolicy/broker/ports/0
  networkPolicy.broker.ports={0}
  networkPolicy.broker.ports={65536}
inbound-gateway extraVolumes/0
  extraVolumes[0].name=Bad_Name,extraVolumes[0].emptyDir.sizeLimit=1Mi
  extraVolumes[0].name=a.b,extraVolumes[0].emptyDir.sizeLimit=1Mi
  extraVolumes[0].name=a
  extraVolumes[0].name=a,extraVolumes[0].secret.secretName=a,extraVolumes[0].configMap.name=a
inbound-gateway extraVolumeMounts/0
  extraVolumeMounts[0].name=tmp,extraVolumeMounts[0].mountPath=etc/a
  extraVolumeMounts[0].name=tmp,extraVolumeMounts[0].mountPath=/a:b
  extraVolumeMounts[0].name=tmp
  extraVolumeMounts[0].name=tmp,extraVolumeMounts[0].mountPath=/a,extraVolumeMounts[0].subPath=../b
inbound-gateway extraEnv/0
  extraEnv[0].name=1A,extraEnv[0].value=a
  extraEnv[0].name=A,extraEnv[0].value=5
  extraEnv[0].name=A,extraEnv[0].valueFrom.secret.name=a
inbound-gateway podLabels/a
  podLabels.a=b c
inbound-gateway invalid propertyName 'a..b/c'
  podLabels.a\.\.b/c=d
inbound-gateway invalid propertyName '-a'
  podAnnotations.-a=b
inbound-gateway tolerations/0
  tolerations[0].operator=Exists,tolerations[0].value=a
  tolerations[0].operator=Equal
  tolerations[0].key=a,tolerations[0].tolerationSeconds=5
inbound-gateway resources/requests/cpu
  resources.requests.cpu=0.0001
  resources.requests.cpu=0.5m
inbound-gateway resources/limits/memory
  resources.limits.memory=0Mi
  resources.limits.memory=1GB
inbound-gateway serviceMonitor/interval
  serviceMonitor.interval=0s
inbound-gateway ingress/host
  ingress.host=10.0.0.7
  ingress.host=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.example.org
inbound-gateway ingress/className
  ingress.className=Bad_Name
inbound-gateway httpRoute/hostnames/0
  httpRoute.hostnames={10.0.0.7}
  httpRoute.hostnames={a_b.example.org}
inbound-gateway httpRoute/hostnames
  httpRoute.hostnames={${HOSTS}}
console httpRoute/sessionPersistence
  httpRoute.sessionPersistence.cookieConfig.lifetimeType=Permanent
inbound-gateway httpRoute/parentRefs/0
  httpRoute.parentRefs[0].name=Bad_Name
  httpRoute.parentRefs[0].port=0
inbound-gateway config/otelExporterOtlpEndpoint
  ${TRACES}=http://
  ${TRACES}=http://a b
  ${TRACES}=http://a:99999
  ${TRACES}=http://300.1.1.1:4318
console config/publicBaseUrl
  config.publicBaseUrl=https://x.example/console
  config.publicBaseUrl=https://x.example?a
  config.publicBaseUrl=https://u@x.example
  config.publicBaseUrl=https://
  config.publicBaseUrl=https://x.example:99999
console config/oidcIssuer
  config.oidcIssuer=http://login.example
  config.oidcIssuer=https://
  config.oidcIssuer=https://login.example?a
webhook-dispatcher config/dnsServers
  config.dnsServers=9.9.9.9
  config.dnsServers=999.9.9.9:53
  config.dnsServers=9.9.9.9:0
  config.dnsServers=[fd00::g]:53
webhook-dispatcher config/webhookDevHosts
  config.webhookDevHosts=a
  config.webhookDevHosts=a=999.1.1.1:443
`;

interface WrongForm {
  readonly service: ServiceName;
  readonly set: string;
  readonly place: string;
  /** Its line below its place, or below a part of that. */
  readonly line: number;
}

function wrongForms(): readonly WrongForm[] {
  let [service, place, line]: [ServiceName, string, number] = ['inbound-gateway', '', 0];
  return WRONG_FORMS.trim()
    .split('\n')
    .flatMap((text): WrongForm[] => {
      if (text.startsWith('  ')) return [{ service, set: text.trim(), place, line: (line += 1) }];
      const name = SERVICE_NAMES.find((each) => text.startsWith(`${each} `)) ?? service;
      const next = text.slice(name.length + 1);
      [service, place, line] = [name, next, place.startsWith(next) ? line : 0];
      return [];
    });
}

const FORMS = wrongForms();

test.each(FORMS)('the schema of $service refuses $set', async ({ service, place, line }) => {
  // Helm reports every violation of a schema, so values of different places are rendered together.
  const together = FORMS.filter((form) => form.service === service && form.line === line);
  const refusal = await refusalOf(workspace, service, together.map(({ set }) => set).join(','));
  expect(refusal).toContain(place.includes(' ') ? place : `at '/${place}`);
});
