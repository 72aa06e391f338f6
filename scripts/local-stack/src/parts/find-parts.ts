import { freePort } from '@partner/test-kit/backing-services/local-process';
import type { Progress } from '../progress.js';
import type { ExternalResource } from './external-resources.js';
import { StackError } from '../stack-error.js';
import { DOCKER_URLS, type DockerParts } from './docker-engine.js';
import { checkRedis, ownDatabase, ownVhost } from './external-servers.js';
import { installMissingParts } from './install-missing-parts.js';
import { PART_NAMES, PART_TITLES, type PartName, type PartSource } from './part-source.js';

/** Where each part of a stack comes from. */
export type PartSources = Readonly<Record<PartName, PartSource>>;

/** The variables that name running servers. */
export const URL_VARIABLES = { postgres: 'POSTGRES_URL', rabbitmq: 'AMQP_URL', redis: 'REDIS_URL' } as const;

/**
 * Finds each part in this order: a server that a variable names; a running Docker engine; installed programs; packages
 * that can be installed here. Throws {@link StackError} with one message if a part is unavailable in all these ways.
 */
export async function findParts(deps: {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly redisKeyPrefix: string;
  readonly docker: DockerParts;
  /** Called with each resource that is created outside the stack's directory. */
  readonly remember: (made: ExternalResource) => void;
  readonly report: Progress;
}): Promise<PartSources> {
  const given = {
    postgres: await givenPostgres(deps.environment[URL_VARIABLES.postgres], deps),
    rabbitmq: await givenRabbitmq(deps.environment[URL_VARIABLES.rabbitmq], deps),
    redis: await givenRedis(deps.environment[URL_VARIABLES.redis], deps),
  };
  const needed = PART_NAMES.filter((part) => given[part] === undefined);
  const containers = needed.length > 0 ? await startContainers(needed, deps) : undefined;
  if (containers === undefined) await installMissingParts(deps.report, needed);
  return {
    postgres: given.postgres ?? containers?.postgres ?? (await privateSource('postgres')),
    rabbitmq: given.rabbitmq ?? containers?.rabbitmq ?? (await privateSource('rabbitmq')),
    redis: given.redis ?? containers?.redis ?? (await privateSource('redis')),
  };
}

/** Returns a part as a private instance on free ports. */
export async function privateSource(part: PartName): Promise<PartSource> {
  return part === 'rabbitmq'
    ? {
        kind: 'private',
        port: await freePort(),
        portMapperPort: await freePort(),
        distributionPort: await freePort(),
      }
    : { kind: 'private', port: await freePort() };
}

type Surroundings = Pick<
  Parameters<typeof findParts>[0],
  'docker' | 'redisKeyPrefix' | 'remember' | 'report'
>;

async function startContainers(
  needed: readonly PartName[],
  deps: Surroundings,
): Promise<Partial<Record<PartName, PartSource>> | undefined> {
  if (!(await deps.docker.isUsable())) return undefined;
  const sources: Partial<Record<PartName, PartSource>> = {};
  const ports: Partial<Record<PartName, number>> = {};
  for (const part of needed) {
    const port = await freePort();
    ports[part] = port;
    sources[part] = { kind: 'docker', url: DOCKER_URLS[part](port), port };
  }
  deps.report(`starting ${needed.map((part) => PART_TITLES[part]).join(', ')} with docker compose`);
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

async function givenPostgres(url: string | undefined, deps: Surroundings): Promise<PartSource | undefined> {
  if (url === undefined || url === '') return undefined;
  expectProtocol('postgres', url, ['postgres:', 'postgresql:']);
  const own = await ownDatabase(url);
  if (own.made) deps.remember({ kind: 'database', url });
  deps.report(
    `Postgres is the one of POSTGRES_URL; its database "partner" ${own.made ? 'was created' : 'is used'}`,
  );
  return { kind: 'given', url: own.url };
}

async function givenRabbitmq(url: string | undefined, deps: Surroundings): Promise<PartSource | undefined> {
  if (url === undefined || url === '') return undefined;
  expectProtocol('rabbitmq', url, ['amqp:', 'amqps:']);
  const own = await ownVhost(url);
  if (own.made) deps.remember({ kind: 'vhost', url: own.url });
  const vhost = decodeURIComponent(new URL(own.url).pathname.slice(1));
  deps.report(
    `RabbitMQ is the one of AMQP_URL; its vhost "${vhost}" ${own.made ? 'was created' : 'is used'}`,
  );
  return { kind: 'given', url: own.url };
}

async function givenRedis(url: string | undefined, deps: Surroundings): Promise<PartSource | undefined> {
  if (url === undefined || url === '') return undefined;
  expectProtocol('redis', url, ['redis:', 'rediss:']);
  await checkRedis(url, deps.redisKeyPrefix);
  deps.remember({ kind: 'redis-keys', url, prefix: deps.redisKeyPrefix });
  deps.report(`Redis is the one of REDIS_URL; its keys begin with "${deps.redisKeyPrefix}"`);
  return { kind: 'given', url };
}

function expectProtocol(part: PartName, url: string, protocols: readonly string[]): void {
  if (!URL.canParse(url) || !protocols.includes(new URL(url).protocol)) {
    throw new StackError(
      `${URL_VARIABLES[part]} must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    );
  }
}
