import { freePort } from '@partner/test-kit/backing-services/local-process';
import { parsedUrl } from '@partner/proto-contracts/values/parsed-url';
import type { Progress } from '../terminal.js';
import { type ExternalResource, checkRedis, ownDatabase, ownVhost } from './external-servers.js';
import { StackError } from '../stack-error.js';
import { DOCKER_URLS, type DockerServices } from './docker-engine.js';
import { installMissingPrograms } from './install-missing-programs.js';
import {
  BACKING_SERVICES,
  BACKING_SERVICE_TITLES,
  type BackingService,
  type BackingServiceSource,
} from './backing-service.js';

export type BackingServiceSources = Readonly<Record<BackingService, BackingServiceSource>>;

interface GivenServer {
  readonly variable: string;
  readonly protocols: readonly string[];
  readonly use: (url: string, deps: Surroundings) => Promise<string>;
}

const GIVEN: Readonly<Record<BackingService, GivenServer>> = {
  postgres: {
    variable: 'POSTGRES_URL',
    protocols: ['postgres:', 'postgresql:'],
    async use(url, { remember, report }) {
      const own = await ownDatabase(url);
      if (own.made) remember({ kind: 'database', url });
      const verb = own.made ? 'was created' : 'is used';
      report(`Postgres is the one of POSTGRES_URL; its database "partner" ${verb}`);
      return own.url;
    },
  },
  rabbitmq: {
    variable: 'AMQP_URL',
    protocols: ['amqp:', 'amqps:'],
    async use(url, { report }) {
      const own = await ownVhost(url);
      const vhost = decodeURIComponent(new URL(own).pathname.slice(1));
      report(`RabbitMQ is the one of AMQP_URL; its vhost "${vhost}" is used`);
      return own;
    },
  },
  redis: {
    variable: 'REDIS_URL',
    protocols: ['redis:', 'rediss:'],
    async use(url, { redisKeyPrefix: prefix, remember, report }) {
      await checkRedis(url, prefix);
      remember({ kind: 'redis-keys', url, prefix });
      report(`Redis is the one of REDIS_URL; its keys begin with "${prefix}"`);
      return url;
    },
  },
};

/**
 * Finds each service in this order: a server that a variable names; a running Docker engine; installed programs; packages
 * that can be installed here. Throws {@link StackError} with one message if a service is unavailable in all these ways.
 */
export async function findBackingServices(deps: {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly redisKeyPrefix: string;
  readonly docker: DockerServices;
  readonly remember: (made: ExternalResource) => void;
  readonly report: Progress;
}): Promise<BackingServiceSources> {
  const sources: Partial<Record<BackingService, BackingServiceSource>> = {};
  for (const service of BACKING_SERVICES) {
    const url = deps.environment[GIVEN[service].variable];
    if (url !== undefined && url !== '') sources[service] = await givenSource(service, url, deps);
  }
  const needed = BACKING_SERVICES.filter((service) => sources[service] === undefined);
  const containers = needed.length > 0 ? await startContainers(needed, deps) : undefined;
  if (containers === undefined) await installMissingPrograms(deps.report, needed);
  return withPrivateSources({ ...sources, ...containers });
}

/** Adds private instances of the services that have no source. */
export async function withPrivateSources(
  found: Partial<BackingServiceSources> = {},
): Promise<BackingServiceSources> {
  const source = async () => ({ kind: 'private', port: await freePort() }) as const;
  const ports = async () => ({ portMapperPort: await freePort(), distributionPort: await freePort() });
  return {
    postgres: found.postgres ?? (await source()),
    rabbitmq: found.rabbitmq ?? { ...(await source()), ...(await ports()) },
    redis: found.redis ?? (await source()),
  };
}

type Surroundings = Pick<
  Parameters<typeof findBackingServices>[0],
  'docker' | 'redisKeyPrefix' | 'remember' | 'report'
>;

async function startContainers(
  needed: readonly BackingService[],
  deps: Surroundings,
): Promise<Partial<BackingServiceSources> | undefined> {
  if (!(await deps.docker.isUsable())) return undefined;
  const sources: Partial<Record<BackingService, BackingServiceSource>> = {};
  const ports: Partial<Record<BackingService, number>> = {};
  for (const service of needed) {
    const port = await freePort();
    ports[service] = port;
    sources[service] = { kind: 'docker', url: DOCKER_URLS[service](port), port };
  }
  const titles = needed.map((service) => BACKING_SERVICE_TITLES[service]);
  deps.report(`starting ${titles.join(', ')} with docker compose`);
  deps.remember({ kind: 'containers' });
  try {
    await deps.docker.start(ports);
    return sources;
  } catch (error) {
    if (!(error instanceof StackError)) throw error;
    deps.report(`${error.message}\nusing installed programs instead`);
    await deps.docker.stop({ withData: false }).catch(() => undefined);
    return undefined;
  }
}

async function givenSource(
  service: BackingService,
  url: string,
  deps: Surroundings,
): Promise<BackingServiceSource> {
  const { variable, protocols, use } = GIVEN[service];
  if (!protocols.includes(parsedUrl(url)?.protocol ?? '')) {
    const beginnings = protocols.map((protocol) => `${protocol}//`).join(' or ');
    throw new StackError(`${variable} must be a URL that begins with ${beginnings}`);
  }
  return { kind: 'given', url: await use(url, deps) };
}
