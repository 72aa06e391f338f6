import type { ServiceName } from '@partner/local-stack/stack/services';

export interface PodSurroundings {
  /** Where owners find the console. */
  readonly consoleUrl: string;
  /** As in WEBHOOK_DEV_HOSTS: where the connections to the test's receiver go. */
  readonly devHosts: string;
  /** The authority of the receiver's certificate. */
  readonly devCaFile: string;
}

export function secretNameOf(service: ServiceName): string {
  return `${service}-of-the-operator`;
}

/** Nothing is pulled from there; a chart takes no image without a registry. */
function repositoryOf(service: ServiceName): string {
  return `registry.example.com/partner/${service}`;
}

/** The values of a production: the chart's own, with what every operator has to say. */
export function productionValues(service: ServiceName): Readonly<Record<string, unknown>> {
  return {
    environment: 'production',
    existingSecret: secretNameOf(service),
    sandboxRun: { imageTag: '0.2.0', since: '2026-01-01' },
    image: { repository: repositoryOf(service) },
    ...(service === 'console' && { config: { publicBaseUrl: 'https://partner.example.com' } }),
  };
}

/** Time limits that a machine reaches only when something hangs, also while a dozen services start on it. */
const PATIENT = { rpcTimeoutMs: 20_000, redisTimeoutMs: 3_000 };

/** Those of the sandbox, with what differs on this machine: the webhooks' receiver is on it, and it has few processors. */
export function sandboxValues(
  service: ServiceName,
  version: string,
  surroundings: PodSurroundings,
): Readonly<Record<string, unknown>> {
  const shared = {
    environment: 'sandbox',
    existingSecret: secretNameOf(service),
    image: { repository: repositoryOf(service), tag: version },
  };
  switch (service) {
    case 'console':
      return { ...shared, config: { ...PATIENT, publicBaseUrl: surroundings.consoleUrl } };
    case 'webhook-dispatcher': {
      const mountPath = '/run/receiver-ca.pem';
      return {
        ...shared,
        development: { enabled: true },
        config: { webhookDevHosts: surroundings.devHosts, webhookDevCaFile: mountPath },
        extraVolumes: [{ name: 'receiver-ca', hostPath: { path: surroundings.devCaFile, type: 'File' } }],
        extraVolumeMounts: [{ name: 'receiver-ca', mountPath, readOnly: true }],
      };
    }
    case 'inbound-gateway':
    case 'installer-gateway':
      return { ...shared, config: PATIENT };
    default:
      return shared;
  }
}
