import { freePort, takePort } from '@partner/test-kit/backing-services/local-process';
import { createDockerServices } from '../backing-services/docker-engine.js';
import {
  findBackingServices,
  type BackingServiceSources,
  withPrivateSources,
} from '../backing-services/find-backing-services.js';
import { recordExternalResource } from '../backing-services/external-servers.js';
import type { Progress } from '../terminal.js';
import { StackError } from '../stack-error.js';
import { CONSOLE_HOST, LISTENER_HOST, RECEIVER_HOST } from './receiver-hosts.js';
import { replicasOf, INGRESS_PATHS, type ServiceName } from './services.js';
import type { SandboxCompany } from './stack-description.js';
import type { StackPlan } from './stack-state.js';

const DEFAULT_PROXY_PORT = 8_080;
const REDIS_KEY_PREFIX = 'partner:';

export interface StackOptions {
  /** The directory of its files; created if missing. One directory holds one stack. */
  readonly directory: string;
  /**
   * The sources of Postgres, RabbitMQ and Redis. `found`: see `findBackingServices`. `private`: private instances of installed
   * programs. `given`: exactly these; the stack is the only user of the database, vhost and Redis.
   */
  readonly backingServices:
    | { readonly kind: 'found'; readonly environment: Readonly<Record<string, string | undefined>> }
    | { readonly kind: 'private'; readonly durable?: boolean }
    | {
        readonly kind: 'given';
        readonly postgresUrl: string;
        readonly amqpUrl: string;
        readonly redisUrl: string;
        /** The sandbox that the database has already; absent: the database is migrated and seeded. */
        readonly companies?: readonly SandboxCompany[];
      };
  /** The port of the base address; by default 8080, or a free one if that is taken. */
  readonly proxyPort?: number;
  /** Settings of a service on top of the stack's own, e.g. `{ 'job-state': { WEBHOOK_RETRY_BASE_MS: '200' } }`. */
  readonly settings?: Readonly<Partial<Record<ServiceName, Readonly<Record<string, string>>>>>;
  readonly replicas?: Readonly<Partial<Record<ServiceName, number>>>;
  /** More host names that webhooks may use, each with the address that it resolves to, e.g. `127.0.0.1:9443`. */
  readonly devHosts?: Readonly<Record<string, string>>;
  /** The number of moves a minute that the simulator makes for the platform and the installers; 0: no simulator; absent: unchanged. */
  readonly simulate?: number;
  /** Whether the processes survive the end of this one. */
  readonly detached?: boolean;
  /** Whether this process owns the stack, so that `--down` signals it first. */
  readonly owned?: boolean;
  readonly report?: Progress;
  readonly signal?: AbortSignal;
}

/** The options with an absolute directory. */
export type PreparedOptions = StackOptions & { readonly report: Progress };

export async function makePlan(options: PreparedOptions): Promise<StackPlan> {
  const proxyPort = await choosePort(options.proxyPort, options.report);
  const backingServices = await chooseBackingServices(options);
  const tlsPort = await freePort();
  const receiverPort = await freePort();
  const listenerPort = await freePort();
  const mailPort = await freePort();
  const services: StackPlan['services'] = {};
  for (const { name, service } of replicasOf(options.replicas ?? {})) {
    services[name] = {
      adminPort: await freePort(),
      ...(INGRESS_PATHS[service] === undefined ? {} : { httpPort: await freePort() }),
      settings: { ...options.settings?.[service] },
    };
  }
  const devHosts = {
    [RECEIVER_HOST]: `127.0.0.1:${receiverPort}`,
    [LISTENER_HOST]: `127.0.0.1:${listenerPort}`,
    [CONSOLE_HOST]: `127.0.0.1:${tlsPort}`,
    ...options.devHosts,
  };
  return {
    backingServices,
    durable: options.backingServices.kind !== 'private' || options.backingServices.durable !== false,
    redisKeyPrefix: REDIS_KEY_PREFIX,
    ports: { proxy: proxyPort, tls: tlsPort, receiver: receiverPort, listener: listenerPort, mail: mailPort },
    services,
    devHosts: Object.entries(devHosts)
      .map(([host, address]) => `${host}=${address}`)
      .join(','),
  };
}

async function choosePort(wanted: number | undefined, report: Progress): Promise<number> {
  if (wanted === 0) return freePort();
  if (await takePort(wanted ?? DEFAULT_PROXY_PORT)) return wanted ?? DEFAULT_PROXY_PORT;
  if (wanted !== undefined) {
    throw new StackError(`port ${wanted} is taken or not allowed; choose another one with --port`);
  }
  report(`port ${DEFAULT_PROXY_PORT} is taken; the base address gets another one`);
  return freePort();
}

async function chooseBackingServices(options: PreparedOptions): Promise<BackingServiceSources> {
  const { backingServices } = options;
  switch (backingServices.kind) {
    case 'found':
      return findBackingServices({
        environment: backingServices.environment,
        redisKeyPrefix: REDIS_KEY_PREFIX,
        docker: createDockerServices(options.directory),
        remember: (made) => recordExternalResource(options.directory, made),
        report: options.report,
      });
    case 'private':
      return withPrivateSources();
    case 'given': {
      const given = (url: string) => ({ kind: 'given', url }) as const;
      return {
        postgres: given(backingServices.postgresUrl),
        rabbitmq: given(backingServices.amqpUrl),
        redis: given(backingServices.redisUrl),
      };
    }
  }
}

/** Returns the plan with a simulator at the rate, for 0 without one; without a rate, an existing simulator keeps its own. */
export async function withSimulator(plan: StackPlan, movesPerMinute: number | undefined): Promise<StackPlan> {
  if (movesPerMinute === undefined) return plan;
  if (movesPerMinute === 0) return { ...plan, simulator: undefined };
  const adminPort = plan.simulator?.adminPort ?? (await freePort());
  return { ...plan, simulator: { adminPort, movesPerMinute } };
}
