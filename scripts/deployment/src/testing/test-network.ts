import { HTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { expect, test } from '@jest/globals';
import { INGRESS_PATHS, type ServiceName } from '@partner/local-stack/stack/services';
import { STREAM_MINUTES } from '@partner/proto-contracts/resources/change-stream/operations';
import { Ingress, type INetworkPolicyPeer, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { Service } from 'kubernetes-models/v1';
import {
  deploymentOf,
  isHook,
  objectsOf,
  podsOf,
  textOf,
  type RenderedService,
  type LabelSelector,
  selects,
} from '../chart-objects.js';
import type { RefusedRanges } from '../values/load-service-module.js';

const DESTINATIONS = {
  DNS: [53, 5353],
  broker: [5671, 5672],
  Redis: [6379, 6380, 26379],
  Postgres: [5432, 6432],
  mail: [465, 587],
  HTTPS: [443],
  'collector of traces': [4317, 4318],
  'example receiver': [9443],
} as const;

/** The peers that a service cannot work without (spec: only job-state reaches the database, only the dispatcher reaches subscribers' servers, and only the console the identity provider). */
const NEEDED: Readonly<Record<ServiceName, readonly string[]>> = {
  'job-state': ['DNS', 'broker', 'Postgres'],
  'inbound-gateway': ['DNS', 'broker', 'Redis'],
  'installer-gateway': ['DNS', 'broker', 'Redis'],
  console: ['DNS', 'broker', 'Redis', 'mail', 'HTTPS'],
  'webhook-dispatcher': ['DNS', 'broker', 'HTTPS'],
};

const destinationOf = (port: string | number | undefined) =>
  Object.entries(DESTINATIONS).find(([, ports]) => ports.some((known) => known === port))?.[0];

const isEmpty = (selector: LabelSelector | undefined) =>
  selector !== undefined &&
  Object.keys(selector.matchLabels ?? {}).length === 0 &&
  (selector.matchExpressions ?? []).length === 0;

function isEverything({ ipBlock, podSelector, namespaceSelector }: INetworkPolicyPeer): boolean {
  if (ipBlock !== undefined) return ipBlock.cidr.endsWith('/0');
  return isEmpty(namespaceSelector) && (podSelector === undefined || isEmpty(podSelector));
}

/** Tests of what may reach the pods of a service, and of what they may reach. The ranges are those that the dispatcher refuses. */
export function testPolicies(rendered: RenderedService, refused: RefusedRanges): void {
  const { service, isDevelopment } = rendered;
  const policies = objectsOf(rendered, NetworkPolicy.is);
  const pods = podsOf(rendered);
  const covers = (policy: (typeof policies)[number], labels: Readonly<Record<string, string>>) =>
    selects(policy.spec?.podSelector ?? {}, labels);

  test('send and receive nothing that no policy allows', () => {
    for (const { labels } of pods) {
      const types = policies.filter((each) => covers(each, labels)).flatMap(({ spec }) => spec?.policyTypes);
      expect(types).toEqual(expect.arrayContaining(['Ingress', 'Egress']));
    }
    const denying = policies.filter(
      (policy) =>
        !isHook(policy) &&
        policy.spec?.policyTypes?.length === 2 &&
        (policy.spec.ingress ?? []).length + (policy.spec.egress ?? []).length === 0 &&
        pods.every(({ labels }) => covers(policy, labels)),
    );
    expect(denying.length).toBeGreaterThan(0);
  });

  test('let callers in by name, and only to their own ports', () => {
    const ports = pods
      .flatMap(({ spec }) => spec.containers.flatMap((container) => container.ports ?? []))
      .flatMap(({ name, containerPort }) => [name, containerPort]);
    for (const { from = [], ports: opened = [] } of policies.flatMap(({ spec }) => spec?.ingress ?? [])) {
      expect(from).not.toEqual([]);
      expect(from.filter(isEverything)).toEqual([]);
      expect(opened).not.toEqual([]);
      expect(ports).toEqual(expect.arrayContaining(opened.map(({ port }) => port)));
    }
  });

  test('reach only what they need: only job-state Postgres, only the dispatcher subscribers', () => {
    const allowed = ['collector of traces', ...NEEDED[service]];
    if (isDevelopment && service === 'webhook-dispatcher') allowed.push('example receiver');
    const reached: unknown[] = [];
    for (const policy of policies)
      for (const { to = [], ports = [{}] } of policy.spec?.egress ?? [])
        for (const { port } of ports) {
          const destination = destinationOf(port);
          expect(allowed).toContain(destination);
          const isInternet = destination === 'HTTPS' && service === 'webhook-dispatcher';
          expect(isInternet || (to.length > 0 && !to.some(isEverything))).toBe(true);
          if (!isHook(policy)) reached.push(destination);
        }
    expect(reached).toEqual(expect.arrayContaining([...NEEDED[service]]));
  });

  if (service === 'webhook-dispatcher')
    test('of the internet reach exactly the addresses that the dispatcher considers public', () => {
      const excepted = new Map([
        ['0.0.0.0/0', refused.ipv4],
        [refused.publicIpv6, refused.ipv6],
      ]);
      const rules = policies
        .flatMap(({ spec }) => spec?.egress ?? [])
        .filter(({ ports = [] }) => ports.some(({ port }) => destinationOf(port) === 'HTTPS'));
      expect(rules.length).toBeGreaterThan(0);
      for (const { to = [], ports } of rules) {
        expect(ports).toEqual([{ protocol: 'TCP', port: 443 }]);
        expect(to.map(({ ipBlock }) => ipBlock?.cidr)).toContain('0.0.0.0/0');
        for (const { ipBlock } of to)
          expect(ipBlock?.except).toEqual(
            expect.arrayContaining([...(excepted.get(ipBlock?.cidr ?? '') ?? ['no such range'])]),
          );
      }
    });
}

/** A duration of the Gateway API in minutes; `0s` has no end. */
function minutesOf(duration: string): number {
  const units: Readonly<Record<string, number>> = { h: 60, m: 1, s: 1 / 60, ms: 1 / 60_000 };
  const parts = [...duration.matchAll(/(\d+)(h|ms|m|s)/g)];
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? 0), 0) || Infinity;
}

function ingressTypeOf(path: string): string {
  if (path === '/') return 'Exact';
  // Many versions of ingress-nginx reject a dot in a path of type Prefix.
  return path.includes('.') ? 'ImplementationSpecific' : 'Prefix';
}

export function testRoutes(rendered: RenderedService): void {
  const { service, isDevelopment } = rendered;
  const { pod, container } = deploymentOf(rendered);
  const paths = INGRESS_PATHS[service];
  const served = objectsOf(rendered, Service.is);
  const portsOf = ({ spec }: (typeof served)[number]) => (spec?.ports ?? []).map(({ name }) => name);
  const web = served.filter((each) => portsOf(each).includes('http'));
  const routes = objectsOf(rendered, HTTPRoute.is);

  test('get requests by a Service that selects them alone, at ports that they have', () => {
    const known = (container.ports ?? []).flatMap(({ name, containerPort }) => [name, containerPort]);
    for (const { spec: { selector: matchLabels = {}, ports = [] } = {} } of served) {
      expect(Object.keys(matchLabels)).not.toEqual([]);
      const selected = podsOf(rendered).filter(({ labels }) => selects({ matchLabels }, labels));
      expect(selected.map(({ title }) => title)).toEqual([pod.title]);
      expect(known).toEqual(expect.arrayContaining(ports.map(({ port, targetPort = port }) => targetPort)));
    }
  });

  test('have a port and a Service for HTTP if they serve it, else none', () => {
    const ports = (container.ports ?? []).filter(({ name }) => name === 'http');
    const listensOn = paths === undefined ? [] : [textOf(container, 'HTTP_PORT')];
    expect(ports.map(({ containerPort }) => String(containerPort))).toEqual(listensOn);
    expect(web).toHaveLength(paths === undefined ? 0 : 1);
  });

  test('are reached by the paths that the service serves, and by no others, at a named host', () => {
    for (const { spec } of objectsOf(rendered, Ingress.is))
      for (const { host, http } of spec?.rules ?? []) {
        expect(host).toBeTruthy();
        const found = (http?.paths ?? []).map(({ path = '', pathType, backend }) => {
          expect([path, pathType]).toEqual([path, ingressTypeOf(path)]);
          expect(backend.service).toEqual({ name: web[0]?.metadata.name, port: { name: 'http' } });
          return path;
        });
        expect(found.sort()).toEqual([...(paths ?? [])].sort());
      }
    for (const { spec } of routes) {
      expect(spec.hostnames?.[0]).toBeTruthy();
      const numbers = (web[0]?.spec?.ports ?? []).map(({ port }) => port);
      const found = (spec.rules ?? []).flatMap(({ matches = [], backendRefs = [] }) => {
        for (const { name, port } of backendRefs) {
          expect(name).toBe(web[0]?.metadata.name);
          expect(numbers).toContain(port);
        }
        return matches.map(({ path }) => {
          expect([path?.value, path?.type]).toEqual([
            path?.value,
            path?.value === '/' ? 'Exact' : 'PathPrefix',
          ]);
          return path?.value;
        });
      });
      expect(found.sort()).toEqual([...(paths ?? [])].sort());
    }
  });

  test('have routes of one listener each, since one without TLS would accept them too', () => {
    for (const { spec } of isDevelopment ? [] : routes)
      for (const { sectionName } of spec.parentRefs ?? []) expect(sectionName).toBeTruthy();
  });

  test('keep a stream for as long as the service allows, despite default timeouts of a Gateway', () => {
    for (const { timeouts = {} } of routes.flatMap(({ spec }) => spec.rules ?? [])) {
      if (service !== 'console') continue;
      expect(timeouts.request).toBeDefined();
      for (const duration of Object.values(timeouts))
        expect(minutesOf(duration)).toBeGreaterThan(STREAM_MINUTES);
    }
  });

  test('are scraped at the admin port of one Service', () => {
    for (const { spec } of objectsOf(rendered, ServiceMonitor.is))
      for (const { port, path = '/metrics' } of spec.endpoints) {
        expect({ port, path }).toEqual({ port: 'admin', path: '/metrics' });
        const scraped = served.filter(
          (each) => selects(spec.selector, each.metadata.labels) && portsOf(each).includes(port),
        );
        expect(scraped).toHaveLength(1);
      }
  });
}
