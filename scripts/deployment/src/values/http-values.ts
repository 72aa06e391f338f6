import { z } from 'zod';
import type { ServiceName } from '@partner/local-stack/stack/services';
import {
  annotations,
  flag,
  group,
  gatewayDuration,
  host,
  hosts,
  objectName,
  parentRefs,
  sessionPersistence,
  whole,
} from './value-types.js';

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
    sessionPersistence: sessionPersistence
      .default({})
      .describe(`Keeps a browser at one replica (experimental channel of the Gateway API).${STICKY}`),
  };
}

export function httpValues(service: ServiceName) {
  const isConsole = service === 'console';
  return {
    service: group('Service for callers.', {
      port: whole(1, 65_535).default(8080).describe('Port of the Service.'),
      annotations: annotations.default({}).describe('Annotations of the Service.'),
    }),
    ingress: group("Exposes the service's paths by an Ingress.", {
      enabled: flag.default(false).describe('Creates an Ingress.'),
      className: objectName.default('').describe('Class of the controller.'),
      host: host.default('').describe('Host name. Required.'),
      tlsSecretName: objectName
        .default('')
        .describe("Secret with the certificate. Empty: the controller's own certificate."),
      annotations: annotations.default({}).describe(`Annotations of the Ingress.${isConsole ? STICKY : ''}`),
    }),
    httpRoute: group("Exposes the service's paths by the Gateway API.", {
      enabled: flag.default(false).describe('Creates an HTTPRoute.'),
      parentRefs: parentRefs
        .default([])
        .describe('Gateways, e.g. `[{name: public, namespace: gateway}]`. Required.'),
      hostnames: hosts.default([]).describe('Host names. Required.'),
      ...(isConsole && consoleRoute()),
      annotations: annotations.default({}).describe('Annotations of the HTTPRoute.'),
    }),
  };
}
