import { HTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { STREAM_MINUTES } from '@partner/proto-contracts/resources/change-stream/operations';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1';
import { type IService, Service } from 'kubernetes-models/v1';
import { z } from 'zod';
import { INGRESS_PATHS, type ServiceName } from '@partner/local-stack/stack/services';
import { selects } from '../kubernetes-object.js';
import {
  type DeploymentRules,
  deploymentsOf,
  objectsOf,
  othersOf,
  podOf,
  type RenderedChart,
} from './deployment-rule.js';
import { environmentOf, textOf } from './environment-of.js';

const servicesOf = (rendered: RenderedChart) => objectsOf(rendered, Service.is);

interface Route {
  readonly title: string;
  readonly path: string;
  /** Whether it matches everything below the path; of the root only itself, which leads nowhere else. */
  readonly isMatched: boolean;
  readonly host: string | undefined;
  readonly backend: string | undefined;
  readonly port: string | number | undefined;
}

function ingressTypeOf(path: string): string {
  if (path === '/') return 'Exact';
  // Many versions of ingress-nginx reject a dot in a path of type Prefix.
  return path.includes('.') ? 'ImplementationSpecific' : 'Prefix';
}

function routesOf(rendered: RenderedChart): readonly Route[] {
  return [
    ...objectsOf(rendered, Ingress.is).flatMap(({ metadata, spec }) =>
      (spec?.rules ?? []).flatMap(({ host, http }) =>
        (http?.paths ?? []).map(({ path = '', pathType, backend }) => ({
          title: `Ingress ${metadata.name}`,
          path,
          isMatched: pathType === ingressTypeOf(path),
          host,
          backend: backend.service?.name,
          port: backend.service?.port?.name ?? backend.service?.port?.number,
        })),
      ),
    ),
    ...objectsOf(rendered, HTTPRoute.is).flatMap(({ metadata, spec }) =>
      (spec.rules ?? []).flatMap(({ matches = [], backendRefs = [] }) =>
        matches.flatMap(({ path }) =>
          backendRefs.map(({ name, port }) => ({
            title: `HTTPRoute ${metadata.name}`,
            path: path?.value ?? '',
            isMatched: path?.type === (path?.value === '/' ? 'Exact' : 'PathPrefix'),
            host: spec.hostnames?.[0],
            backend: name,
            port,
          })),
        ),
      ),
    ),
  ];
}

/** The services that keep requests open, with their time limits. */
const STREAMS: Readonly<Partial<Record<ServiceName, number>>> = { console: STREAM_MINUTES };

/** A duration of the Gateway API in minutes; `0s` has no end. */
function minutesOf(duration: string): number {
  const units = { h: 60, m: 1, s: 1 / 60, ms: 1 / 60_000 } as const;
  const parts = [...duration.matchAll(/(\d+)(h|ms|m|s)/g)].map(
    ([, count, unit]) => Number(count) * units[z.enum(['h', 'ms', 'm', 's']).parse(unit)],
  );
  return parts.reduce((sum, part) => sum + part, 0) || Infinity;
}

const hasPort = ({ spec }: Pick<IService, 'spec'>, port: string | number | undefined) =>
  spec?.ports?.some(({ name, port: number }) => name === port || number === port) === true;

/** Rules about the routes of requests and scrapes to the pods. */
export const ROUTING_RULES: DeploymentRules = {
  *'a Service leads to the pods of the service, to ports that they have, and to no others'(rendered) {
    const deployed = deploymentsOf(rendered).map(podOf);
    const known = deployed.flatMap((pod) =>
      pod.spec.containers.flatMap((container) =>
        (container.ports ?? []).flatMap(({ name, containerPort }) => [name, containerPort]),
      ),
    );
    for (const { metadata, spec } of servicesOf(rendered)) {
      const { selector: matchLabels = {}, ports = [] } = spec ?? {};
      const title = `Service ${metadata.name}`;
      if (
        Object.keys(matchLabels).length === 0 ||
        !deployed.every(({ labels }) => selects({ matchLabels }, labels))
      )
        yield `${title} does not select the pods of the deployment`;
      for (const { title: other, labels } of othersOf(rendered))
        if (selects({ matchLabels }, labels)) yield `${title} selects the pods of ${other}`;
      for (const { name = '', port, targetPort = port } of ports)
        if (!known.includes(targetPort))
          yield `${title}: the target of its port ${name} is none of the container's ports`;
    }
  },
  *'a service that serves HTTP has a Service for it, on the port where it listens, and others have none'(
    rendered,
  ) {
    const isHttp = INGRESS_PATHS[rendered.service] !== undefined;
    let ports = 0;
    for (const container of deploymentsOf(rendered).flatMap((each) => podOf(each).spec.containers)) {
      if (container.name !== rendered.service) continue;
      const listensOn = textOf(environmentOf(container), 'HTTP_PORT') ?? 'absent';
      for (const { name, containerPort } of container.ports ?? []) {
        if (name !== 'http') continue;
        ports += 1;
        if (String(containerPort) !== listensOn) yield `the port http is not HTTP_PORT, ${listensOn}`;
      }
    }
    if (ports !== (isHttp ? 1 : 0)) yield `the container has ${ports} ports http`;
    if (servicesOf(rendered).some((candidate) => hasPort(candidate, 'http')) !== isHttp)
      yield isHttp ? 'no Service has a port http' : 'a Service has a port http';
  },
  *'the public address leads each path to the service that serves it'(rendered) {
    const routes = routesOf(rendered);
    const expected = INGRESS_PATHS[rendered.service] ?? [];
    for (const title of new Set(routes.map((route) => route.title))) {
      const paths = routes.filter((route) => route.title === title).map(({ path }) => path);
      if ([...paths].sort().join() !== [...expected].sort().join())
        yield `${title} leads ${paths.join(', ')} to ${rendered.service}, which serves ${expected.join(', ') || 'nothing'}`;
    }
    for (const { title, path, isMatched, backend, port, host } of routes) {
      if (!isMatched)
        yield `${title}: ${path} ${path === '/' ? 'includes' : 'does not include'} everything below it`;
      if (host === undefined || host === '') yield `${title} is for any host`;
      const isServed = servicesOf(rendered).some(
        (service) => service.metadata.name === backend && hasPort(service, port) && hasPort(service, 'http'),
      );
      if (!isServed)
        yield `${title}: ${path} leads to ${backend ?? 'nothing'}, port ${port ?? 'none'}, which is not a Service of the chart for HTTP`;
    }
  },
  *'a route names its listener; else one without TLS accepts it, too'(rendered) {
    if (rendered.isDevelopment) return;
    for (const { metadata, spec } of objectsOf(rendered, HTTPRoute.is))
      for (const { name, sectionName } of spec.parentRefs ?? [])
        if (sectionName === undefined)
          yield `HTTPRoute ${metadata.name} belongs to every listener of ${name}`;
  },
  *'a stream lasts as long as its service allows, despite default timeouts of a Gateway'(rendered) {
    const minutes = STREAMS[rendered.service];
    if (minutes === undefined) return;
    for (const { metadata, spec } of objectsOf(rendered, HTTPRoute.is)) {
      for (const { timeouts = {} } of spec.rules ?? []) {
        if (timeouts.request === undefined)
          yield `HTTPRoute ${metadata.name} leaves the end of a stream to the Gateway`;
        for (const duration of Object.values(timeouts))
          if (minutesOf(duration) <= minutes)
            yield `HTTPRoute ${metadata.name} ends a stream of ${minutes} minutes after ${duration}`;
      }
    }
  },
  *'metrics are scraped from the admin port of a Service of the chart'(rendered) {
    for (const { metadata, spec } of objectsOf(rendered, ServiceMonitor.is)) {
      for (const { port = '', path = '/metrics' } of spec.endpoints) {
        const title = `ServiceMonitor ${metadata.name}`;
        if (path !== '/metrics' || port !== 'admin') yield `${title} asks ${port}${path}`;
        const scraped = servicesOf(rendered).filter(
          (candidate) => selects(spec.selector, candidate.metadata.labels) && hasPort(candidate, port),
        );
        if (scraped.length !== 1) yield `${title} does not select exactly one Service with a port ${port}`;
      }
    }
  },
};
