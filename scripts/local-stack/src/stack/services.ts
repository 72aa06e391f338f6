import { CONSOLE_HOST } from './receiver-hosts.js';

export const SERVICE_NAMES = [
  'job-state',
  'inbound-gateway',
  'installer-gateway',
  'console',
  'webhook-dispatcher',
] as const;

export type ServiceName = (typeof SERVICE_NAMES)[number];

/** The services that serve HTTP, and the paths that the ingress routes to each with all below them; of `/` only itself. */
export const INGRESS_PATHS: Readonly<Partial<Record<ServiceName, readonly string[]>>> = {
  'inbound-gateway': ['/inbound'],
  'installer-gateway': ['/partner/v1'],
  console: [
    ...['/', '/partner-api', '/automation', '/console', '/docs', '/clients', '/.well-known/webhooks'],
    ...['/openapi.json', '/llms.txt'],
  ],
};

export interface ServiceSurroundings {
  readonly baseUrl: string;
  readonly amqpUrl: string;
  readonly postgresUrl: string;
  readonly redisUrl: string;
  readonly redisKeyPrefix: string;
  readonly sealingKeys: string;
  readonly cursorKey: string;
  readonly sessionKeys: string;
  readonly devHosts: string;
  readonly devCaFile: string;
  readonly replicas: number;
  readonly mail?: { readonly SMTP_URL: string; readonly MAIL_FROM: string } | undefined;
}

/** Returns the settings of one replica of a service. It receives nothing else, except what any program needs. */
export function serviceSettings(
  service: ServiceName,
  ports: { readonly admin: number; readonly http?: number | undefined },
  surroundings: ServiceSurroundings,
): Record<string, string> {
  const common = commonSettings(ports.admin, surroundings.amqpUrl);
  const http = {
    HTTP_HOST: '127.0.0.1',
    HTTP_PORT: String(ports.http),
    REDIS_URL: surroundings.redisUrl,
    REDIS_KEY_PREFIX: surroundings.redisKeyPrefix,
    RATE_LIMIT_REPLICAS: String(surroundings.replicas),
    TRUSTED_PROXY_HOPS: '1',
    CURSOR_SIGNING_KEY: surroundings.cursorKey,
  };
  switch (service) {
    case 'job-state':
      return {
        ...common,
        POSTGRES_URL: surroundings.postgresUrl,
        WEBHOOK_SEALING_KEYS: surroundings.sealingKeys,
        WEBHOOK_SIGNING_KEYS: surroundings.sealingKeys,
      };
    case 'webhook-dispatcher':
      return {
        ...common,
        WEBHOOK_SEALING_KEYS: surroundings.sealingKeys,
        WEBHOOK_DEV_HOSTS: surroundings.devHosts,
        WEBHOOK_DEV_CA_FILE: surroundings.devCaFile,
      };
    case 'inbound-gateway':
    case 'installer-gateway':
      return { ...common, ...http };
    case 'console':
      return {
        ...common,
        ...http,
        SESSION_KEYS: surroundings.sessionKeys,
        PUBLIC_BASE_URL: surroundings.baseUrl,
        WEBHOOK_BASE_URL: `https://${CONSOLE_HOST}`,
        ...surroundings.mail,
      };
  }
}

export function simulatorSettings(
  plan: { readonly adminPort: number; readonly movesPerMinute: number },
  { amqpUrl }: Pick<ServiceSurroundings, 'amqpUrl'>,
): Record<string, string> {
  return {
    ...commonSettings(plan.adminPort, amqpUrl),
    SIMULATOR_MOVES_PER_MINUTE: String(plan.movesPerMinute),
  };
}

function commonSettings(adminPort: number, amqpUrl: string): Record<string, string> {
  return {
    PARTNER_ENVIRONMENT: 'sandbox',
    ADMIN_HOST: '127.0.0.1',
    ADMIN_PORT: String(adminPort),
    AMQP_URL: amqpUrl,
    SHUTDOWN_GRACE_MS: '10000',
  };
}

/** Returns the replicas of all services; one of a service without a count. */
export function replicasOf(counts: Readonly<Partial<Record<ServiceName, number>>>) {
  return SERVICE_NAMES.flatMap((service) =>
    Array.from({ length: counts[service] ?? 1 }, (_, index) => ({
      service,
      name: index === 0 ? service : `${service}-${index + 1}`,
    })),
  );
}

export function serviceOf(name: string): ServiceName | undefined {
  return SERVICE_NAMES.find(
    (service) => name === service || (/^-\d+$/.test(name.slice(service.length)) && name.startsWith(service)),
  );
}
