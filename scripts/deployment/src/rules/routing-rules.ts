import { HTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { STREAM_MINUTES } from '@partner/proto-contracts/resources/change-stream/operations';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1';
import { type IService, Service } from 'kubernetes-models/v1';
import { z } from 'zod';
import { INGRESS_PATHS, type ServiceName } from '@partner/local-stack/stack/services';
import { selects } from '../kubernetes-object.js';
import {
  type DeploymentRule,
  deploymentsOf,
  objectsOf,
  othersOf,
  podOf,
  type RenderedChart,
  when,
} from './deployment-rule.js';
import { environmentOf, textOf } from './environment-of.js';

const servicesOf = (rendered: RenderedChart) => objectsOf(rendered, Service.is);

interface Route {
  readonly title: string;
  readonly path: string;
  readonly isPrefix: boolean;
  readonly host: string | undefined;
  readonly backend: string | undefined;
  readonly port: string | number | undefined;
}

function routesOf(rendered: RenderedChart): readonly Route[] {
  return [
    ...objectsOf(rendered, Ingress.is).flatMap(({ metadata, spec }) =>
      (spec?.rules ?? []).flatMap(({ host, http }) =>
        (http?.paths ?? []).map(({ path = '', pathType, backend }) => ({
          title: `Ingress ${metadata.name}`,
          path,
          // Many versions of ingress-nginx reject a dot in a path of type Prefix.
          isPrefix: pathType === (path.includes('.') ? 'ImplementationSpecific' : 'Prefix'),
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
            isPrefix: path?.type === 'PathPrefix',
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
export const ROUTING_RULES: readonly DeploymentRule[] = [
  {
    name: 'a Service leads to the pods of the service, to ports that they have, and to no others',
    violations: (rendered) =>
      servicesOf(rendered).flatMap(({ metadata, spec }) => {
        const matchLabels = spec?.selector ?? {};
        const deployed = deploymentsOf(rendered).map(podOf);
        const ports = deployed.flatMap((pod) =>
          pod.spec.containers.flatMap((container) =>
            (container.ports ?? []).flatMap(({ name, containerPort }) => [name, containerPort]),
          ),
        );
        return [
          ...when({
            [`Service ${metadata.name} does not select the pods of the deployment`]:
              Object.keys(matchLabels).length === 0 ||
              !deployed.every(({ labels }) => selects({ matchLabels }, labels)),
          }),
          ...othersOf(rendered).flatMap(({ title, labels }) =>
            when({
              [`Service ${metadata.name} selects the pods of ${title}`]: selects({ matchLabels }, labels),
            }),
          ),
          ...(spec?.ports ?? []).flatMap(({ name = '', port, targetPort = port }) =>
            when({
              [`Service ${metadata.name}: the target of its port ${name} is none of the container's ports`]:
                !ports.some((known) => known === targetPort),
            }),
          ),
        ];
      }),
  },
  {
    name: 'a service that serves HTTP has a Service for it, on the port where it listens, and others have none',
    violations: (rendered) => {
      const isHttp = INGRESS_PATHS[rendered.service] !== undefined;
      const http = deploymentsOf(rendered)
        .flatMap((deployment) => podOf(deployment).spec.containers)
        .filter(({ name }) => name === rendered.service)
        .flatMap((container) =>
          (container.ports ?? [])
            .filter(({ name }) => name === 'http')
            .map(({ containerPort }) => ({
              containerPort,
              listensOn: textOf(environmentOf(container), 'HTTP_PORT') ?? 'absent',
            })),
        );
      return [
        ...when({ [`the container has ${http.length} ports http`]: http.length !== (isHttp ? 1 : 0) }),
        ...http.flatMap(({ containerPort, listensOn }) =>
          when({ [`the port http is not HTTP_PORT, ${listensOn}`]: String(containerPort) !== listensOn }),
        ),
        ...when({
          [isHttp ? 'no Service has a port http' : 'a Service has a port http']:
            servicesOf(rendered).some((candidate) => hasPort(candidate, 'http')) !== isHttp,
        }),
      ];
    },
  },
  {
    name: 'the public address leads each path to the service that serves it',
    violations: (rendered) => {
      const routes = routesOf(rendered);
      const services = servicesOf(rendered);
      const expected = INGRESS_PATHS[rendered.service] ?? [];
      const titles = [...new Set(routes.map(({ title }) => title))];
      return [
        ...titles.flatMap((title) => {
          const paths = routes.filter((route) => route.title === title).map(({ path }) => path);
          return when({
            [`${title} leads ${paths.join(', ')} to ${rendered.service}, which serves ${expected.join(', ') || 'nothing'}`]:
              [...paths].sort().join() !== [...expected].sort().join(),
          });
        }),
        ...routes.flatMap(({ title, path, isPrefix, backend, port, host }) =>
          when({
            [`${title}: ${path} does not include everything below it`]: !isPrefix,
            [`${title} is for any host`]: host === undefined || host === '',
            [`${title}: ${path} leads to ${backend ?? 'nothing'}, port ${port ?? 'none'}, which is not a Service of the chart for HTTP`]:
              !services.some(
                (service) =>
                  service.metadata.name === backend && hasPort(service, port) && hasPort(service, 'http'),
              ),
          }),
        ),
      ];
    },
  },
  {
    name: 'a route names its listener; else one without TLS accepts it, too',
    violations: (rendered) =>
      rendered.isDevelopment
        ? []
        : objectsOf(rendered, HTTPRoute.is).flatMap(({ metadata, spec }) =>
            (spec.parentRefs ?? []).flatMap(({ name, sectionName }) =>
              when({
                [`HTTPRoute ${metadata.name} belongs to every listener of ${name}`]:
                  sectionName === undefined,
              }),
            ),
          ),
  },
  {
    name: 'a stream lasts as long as its service allows, despite default timeouts of a Gateway',
    violations: (rendered) => {
      const minutes = STREAMS[rendered.service];
      if (minutes === undefined) return [];
      return objectsOf(rendered, HTTPRoute.is).flatMap(({ metadata, spec }) =>
        (spec.rules ?? []).flatMap(({ timeouts = {} }) => [
          ...when({
            [`HTTPRoute ${metadata.name} leaves the end of a stream to the Gateway`]:
              timeouts.request === undefined,
          }),
          ...Object.values(timeouts).flatMap((duration) =>
            when({
              [`HTTPRoute ${metadata.name} ends a stream of ${minutes} minutes after ${duration}`]:
                minutesOf(duration) <= minutes,
            }),
          ),
        ]),
      );
    },
  },
  {
    name: 'metrics are scraped from the admin port of a Service of the chart',
    violations: (rendered) =>
      objectsOf(rendered, ServiceMonitor.is).flatMap(({ metadata, spec }) =>
        spec.endpoints.flatMap(({ port = '', path = '/metrics' }) =>
          when({
            [`ServiceMonitor ${metadata.name} asks ${port}${path}`]: path !== '/metrics' || port !== 'admin',
            [`ServiceMonitor ${metadata.name} does not select exactly one Service with a port ${port}`]:
              servicesOf(rendered).filter(
                (candidate) => selects(spec.selector, candidate.metadata.labels) && hasPort(candidate, port),
              ).length !== 1,
          }),
        ),
      ),
  },
];
