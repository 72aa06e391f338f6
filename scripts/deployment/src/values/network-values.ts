import { z } from 'zod';
import type { ServiceName } from '@partner/local-stack/stack/services';
import { CHART_FACTS, servesHttp } from './chart-facts.js';
import * as types from './value-types.js';

const { annotations, cidrs, flag, gatewayDuration, group, labels, objectName } = types;

const PEERS: Readonly<Record<string, string>> = {
  postgres: 'Postgres. No other service may reach it.',
  redis: 'Redis.',
  mail: 'Mail server.',
  identityProvider: 'OpenID Connect provider of `config.oidcIssuer`.',
};

function peer(
  description: string,
  defaults: { namespace?: string; podLabels?: Record<string, string>; port?: number },
) {
  const { namespace = '', podLabels = {}, port } = defaults;
  return group(description, {
    namespace: types.namespace.default(namespace).describe("Namespace of its pods. Empty: the release's."),
    podLabels: labels.default(podLabels).describe('Labels of its pods. Empty: every pod of the namespace.'),
    cidrs: cidrs.default([]).describe('Its address ranges outside of the cluster.'),
    ...(port !== undefined && { ports: types.ports.default([port]).describe('Its ports.') }),
  });
}

export function networkPolicyValues(service: ServiceName) {
  const except = (version: string, ranges: typeof cidrs) =>
    ranges
      .default([])
      .describe(`Additional ${version} ranges to block, e.g. public addresses of the cluster.`);
  return group('Only the peers listed here may reach the pods or be reached by them.', {
    enabled: flag.default(true).describe('Creates the NetworkPolicies.'),
    ...(servesHttp(service) && {
      gateway: peer('Callers of the HTTP port.', { namespace: 'gateway' }),
    }),
    monitoring: peer('Readers of the metrics.', { namespace: 'monitoring' }),
    dns: peer('DNS servers of the cluster, with the ports of its pods. OpenShift has 5353.', {
      namespace: 'kube-system',
      podLabels: { 'k8s-app': 'kube-dns' },
      port: 53,
    }),
    broker: peer('RabbitMQ.', { port: 5672 }),
    ...Object.fromEntries(
      Object.entries(CHART_FACTS[service].peers).map(([name, port]) => [
        name,
        peer(PEERS[name] ?? '', { port }),
      ]),
    ),
    ...(service === 'webhook-dispatcher' && {
      internet: group("Subscribers' servers: port 443 of every public address.", {
        exceptIpv4: except('IPv4', types.cidrsV4),
        exceptIpv6: except('IPv6', types.cidrsV6),
      }),
    }),
    collector: peer('Trace collector, with `config.otelTracesExporter: otlp`.', {
      namespace: 'monitoring',
      port: 4318,
    }),
    extraIngress: types.ingressRules.default([]).describe('Additional ingress rules, as in a NetworkPolicy.'),
    extraEgress: types.egressRules.default([]).describe('Additional egress rules, as in a NetworkPolicy.'),
  });
}

const STICKY = ' See "Upgrades and open pages" in README.md.';

/** Only the console has open pages. */
function consoleRoute() {
  return {
    timeouts: z
      .strictObject({ request: gatewayDuration.optional(), backendRequest: gatewayDuration.optional() })
      .default({ request: '11m' })
      .describe(
        'Timeouts of the Gateway, longer than a stream of the console. `{request: 0s}`: none. See "Streams" in README.md.',
      ),
    sessionPersistence: types.sessionPersistence
      .default({})
      .describe(`Keeps a browser at one replica (experimental channel of the Gateway API).${STICKY}`),
  };
}

export function httpValues(service: ServiceName) {
  const isConsole = service === 'console';
  return {
    service: group('Service for callers.', {
      port: types.whole(1, 65_535).default(8080).describe('Port of the Service.'),
      annotations: annotations.default({}).describe('Annotations of the Service.'),
    }),
    ingress: group("Exposes the service's paths by an Ingress.", {
      enabled: flag.default(false).describe('Creates an Ingress.'),
      className: objectName.default('').describe('Class of the controller.'),
      host: types.host.default('').describe('Host name. Required.'),
      tlsSecretName: objectName
        .default('')
        .describe("Secret with the certificate. Empty: the controller's own certificate."),
      annotations: annotations.default({}).describe(`Annotations of the Ingress.${isConsole ? STICKY : ''}`),
    }),
    httpRoute: group("Exposes the service's paths by the Gateway API.", {
      enabled: flag.default(false).describe('Creates an HTTPRoute.'),
      parentRefs: types.parentRefs
        .default([])
        .describe('Gateways, e.g. `[{name: public, namespace: gateway}]`. Required.'),
      hostnames: types.hosts.default([]).describe('Host names. Required.'),
      ...(isConsole && consoleRoute()),
      annotations: annotations.default({}).describe('Annotations of the HTTPRoute.'),
    }),
  };
}
