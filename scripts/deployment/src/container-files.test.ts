import { describe, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { DOCKER_URLS } from '@partner/local-stack/backing-services/docker-engine';
import { BACKING_SERVICES } from '@partner/local-stack/backing-services/backing-service';
import { readProjectFile } from '@partner/local-stack/project-root';
import { SERVICE_NAMES, type ServiceName, serviceSettings } from '@partner/local-stack/stack/services';
import { COMPOSE_SERVICES as compose } from './compose-file.js';
import { settingsOf } from './values/declared-settings.js';

/** Settings that only a local stack sets. */
const LOCAL_ONLY = [
  'ADMIN_HOST',
  'ADMIN_PORT',
  'HTTP_HOST',
  'HTTP_PORT',
  'SHUTDOWN_GRACE_MS',
  'WEBHOOK_BASE_URL',
];

/** Declared by the images. Without a mount there, Compose creates an anonymous volume, which `down` leaves behind. */
const DATA_DIRECTORIES = {
  postgres: '/var/lib/postgresql/data',
  rabbitmq: '/var/lib/rabbitmq',
  redis: '/data',
};

function settingsOfStack(service: ServiceName): string[] {
  const surroundings = {
    ...{ baseUrl: '', amqpUrl: '', postgresUrl: '', redisUrl: '', redisKeyPrefix: '' },
    ...{ sealingKeys: '', cursorKey: '', sessionKeys: '', devHosts: '', devCaFile: '', replicas: 1 },
  };
  return Object.keys(serviceSettings(service, { admin: 1, http: 2 }, surroundings));
}

describe('docker-compose.yml', () => {
  test.each(SERVICE_NAMES)('sets the same settings for %s as the local stack', (service) => {
    const needed = settingsOfStack(service).filter((name) => !LOCAL_ONLY.includes(name));
    const given = Object.keys(compose[service]?.environment ?? {}).filter(
      (name) => name !== 'LOG_LEVEL' && !name.startsWith('OTEL_'),
    );

    expect(given.sort()).toEqual(needed.sort());
    expect(compose[service]?.build?.args?.SERVICE).toBe(service);
  });

  test.each(SERVICE_NAMES)('gives %s values that it accepts, and no unknown settings', (service) => {
    const { settings, violations } = settingsOf(service);
    const environment = Object.entries(compose[service]?.environment ?? {});
    // With the defaults of the variables in them.
    const given = environment.map(([name, value]): [string, string] => [
      name,
      value.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1'),
    ]);

    expect(violations(Object.fromEntries(given))).toEqual([]);
    expect(settings.map(({ name }) => name)).toEqual(
      expect.arrayContaining(environment.map(([name]) => name)),
    );
  });

  test.each(BACKING_SERVICES)(
    'publishes %s with the credentials and on the port that scripts/up expects',
    (part) => {
      const url = new URL(DOCKER_URLS[part](12345));
      const { environment = {}, ports = [] } = compose[part] ?? {};

      expect(ports).toEqual([
        expect.stringMatching(new RegExp(`^127\\.0\\.0\\.1:\\$\\{${part.toUpperCase()}_PORT:-`)),
      ]);
      expect(Object.values(environment)).toEqual(
        expect.arrayContaining([url.username, url.password].filter((credential) => credential !== '')),
      );
      expect(compose[part]?.healthcheck).toBeDefined();
    },
  );

  test.each(BACKING_SERVICES)('has no anonymous volume for %s', (part) => {
    const { volumes = [], tmpfs = [] } = compose[part] ?? {};
    const mounts = [...volumes.map((volume) => volume.split(':')[1]), ...tmpfs];

    expect(mounts).toContain(DATA_DIRECTORIES[part]);
  });

  test('pins every image of others to a version', () => {
    const images = Object.values(compose).flatMap(({ build, image }) => (build === undefined ? [image] : []));

    expect(images.length).toBeGreaterThanOrEqual(3);
    for (const image of images)
      expect(image).toMatch(/^[a-z/-]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)?(@sha256:[0-9a-f]{64})?$/);
  });
});

describe('services/Dockerfile', () => {
  const file = readProjectFile('services/Dockerfile');

  test('names every base image by an argument whose default is a version of Node 24', () => {
    const stages = [...file.matchAll(/^FROM (\S+) AS (\S+)$/gm)];
    const names = stages.map(([, , name]) => name);
    const bases = stages.map(([, base]) => base).filter((base) => !names.includes(base));
    const nodeOfDevelopers = readProjectFile('.nvmrc').trim();

    expect(bases).toEqual(['${NODE_IMAGE}', '${RUNTIME_IMAGE}']);
    expect(file).toContain(`ARG NODE_IMAGE=node:${nodeOfDevelopers}-trixie-slim\n`);
    expect(file).toMatch(/^ARG RUNTIME_IMAGE=gcr\.io\/distroless\/nodejs24-debian13:nonroot$/m);
  });
});

test('docker-compose.yml and skaffold.yaml never build two images concurrently under the same tag', () => {
  const ofCompose = Object.values(compose).flatMap(({ build, image }) =>
    build === undefined ? [] : [image],
  );
  const skaffold = z.looseObject({
    build: z.looseObject({ artifacts: z.array(z.looseObject({ image: z.string() })) }).optional(),
  });
  const ofSkaffold = parseAllDocuments(readProjectFile('skaffold.yaml')).flatMap((document) =>
    (skaffold.parse(document.toJS()).build?.artifacts ?? []).map(({ image }) => image),
  );
  for (const images of [ofCompose, ofSkaffold]) {
    const tags = images.map((image) => image.replace(/:latest$/, ''));
    expect(tags.length).toBeGreaterThanOrEqual(SERVICE_NAMES.length);
    expect([...new Set(tags)]).toEqual(tags);
  }
});
