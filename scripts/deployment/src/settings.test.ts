import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { BACKING_SERVICES } from '@partner/kernel/process/production-settings';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { SERVICE_NAMES, type ServiceName } from '@partner/local-stack/stack/services';
import { createChartWorkspace } from './chart-workspace.js';
import { COMPOSE_SERVICES as compose } from './compose-file.js';
import { PROGRAM_NAMES, settingsOf } from './declared-settings.js';
import {
  type KubernetesObject,
  containersOf,
  deploymentOf,
  environmentOf,
  objectsOf,
  textOf,
} from './chart-objects.js';
import { VALUES_SETS } from './service-values.js';

const SECRETS: Readonly<Record<string, string>> = {
  AMQP_URL: 'amqps://partner:secret@rabbitmq:5671',
  POSTGRES_URL: 'postgres://partner:secret@postgres:5432/partner',
  REDIS_URL: 'rediss://:secret@redis:6379/0',
  SMTP_URL: 'smtps://partner:secret@mail:465',
  OIDC_CLIENT_SECRET: 'secret',
  CURSOR_SIGNING_KEY: randomBytes(32).toString('base64'),
  WEBHOOK_SEALING_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  SESSION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
};

const workspace = await createChartWorkspace();
afterAll(() => workspace.remove());

const rendered = new Map<string, readonly KubernetesObject[]>();

beforeAll(async () => {
  for (const { service, name, rendering } of VALUES_SETS) {
    rendered.set(`${service} ${name}`, await workspace.objects(rendering));
  }
});

function containerOf(service: ServiceName, set: string) {
  return deploymentOf({ service, objects: rendered.get(`${service} ${set}`) ?? [] }).container;
}

const ofService = (names: Iterable<string>) =>
  [...names].filter((name) => name !== 'NODE_OPTIONS' && name !== 'NODE_EXTRA_CA_CERTS').sort();

const lacking = (names: readonly string[], from: readonly string[]) =>
  names.filter((name) => !from.includes(name));

const namesOf = (program: string) => settingsOf(program).settings.map(({ name }) => name);

const requiredBy = (program: string) =>
  settingsOf(program)
    .settings.filter(({ isRequired }) => isRequired)
    .map(({ name }) => name);

describe.each(SERVICE_NAMES)('the settings of %s', (service) => {
  test('have values in docker-compose.yml that the service accepts, and no unknown names', () => {
    const environment = compose[service]?.environment ?? {};
    const given = Object.entries(environment).map(
      // With the defaults of the variables in them.
      ([name, value]) => [name, value.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')] as const,
    );
    expect(settingsOf(service).violations(Object.fromEntries(given))).toEqual([]);
    expect(lacking(Object.keys(environment), namesOf(service))).toEqual([]);
  });

  test.each(VALUES_SETS.filter((set) => set.service === service).map(({ name }) => name))(
    'have values in its chart, values %s, that the service accepts, and no unknown names',
    (set) => {
      const environment = [...environmentOf(containerOf(service, set))].map(([name, source]) => {
        if (source.from !== 'secret') return [name, source.value] as const;
        return [name, SECRETS[name] ?? `no secret of any service: ${name}`] as const;
      });
      expect(settingsOf(service).violations(Object.fromEntries(environment))).toEqual([]);
      const given = ofService(environmentOf(containerOf(service, set)).keys());
      expect(lacking(given, namesOf(service))).toEqual([]);
    },
  );
});

test.each(['default', 'dev', 'sandbox', 'production'])(
  'the minimum of dispatchers can handle all deliveries in flight of job-state, values %s',
  (set) => {
    const numberOf = (service: ServiceName, name: string) => Number(textOf(containerOf(service, set), name));
    const objects = rendered.get(`webhook-dispatcher ${set}`) ?? [];
    const [scaled] = objectsOf({ objects }, ScaledObject.is);
    const { deployment } = deploymentOf({ service: 'webhook-dispatcher', objects });
    const replicas = scaled?.spec.minReplicaCount ?? deployment.spec?.replicas ?? 1;
    expect(numberOf('job-state', 'DELIVERIES_IN_FLIGHT')).toBeLessThanOrEqual(
      numberOf('webhook-dispatcher', 'DELIVERY_CONCURRENCY') * replicas,
    );
  },
);

describe('every program that a chart or docker-compose.yml runs', () => {
  const programOf = (args: readonly string[]) => /^dist\/(.+)\.js$/.exec(args.at(-1) ?? '')?.[1];

  test('exists, and receives the settings that it reads, and no other secret', async () => {
    const runs = [
      ...[...rendered].flatMap(([title, objects]) =>
        containersOf({ objects }).map(({ title: where, container }) => ({
          title: `${title}, ${where}`,
          program: programOf(container.args ?? []),
          given: [...environmentOf(container).keys()],
        })),
      ),
      ...Object.entries(compose).map(([title, { command, environment }]) => ({
        title: `docker-compose.yml, ${title}`,
        program: programOf(command),
        given: Object.keys(environment),
      })),
    ].filter(({ program }) => program !== undefined);

    expect(runs.length).toBeGreaterThan(5);
    const violations = runs.flatMap(({ title, program = '', given }) => {
      const file = path.join(PROJECT_ROOT, 'services/job-state/dist', `${program}.js`);
      if (!existsSync(file)) return [`${title}: there is no program ${program}`];
      // It ignores the other settings of its service.
      const unknown = lacking(given, namesOf(program)).filter((name) => name in SECRETS);
      return [
        ...lacking(requiredBy(program), given).map((name) => `${title}: ${program} needs ${name}`),
        ...unknown.map((name) => `${title}: ${program} does not read ${name}`),
      ];
    });
    expect(violations).toEqual([]);
  });
});

test('production checks every URL of a backing service for TLS', () => {
  // Their own rules require TLS, or they are no connection of the service.
  const others = ['SMTP_URL', 'OIDC_ISSUER', 'PUBLIC_BASE_URL'];
  const urls = PROGRAM_NAMES.flatMap(namesOf).filter((name) => /_(URLS?|ENDPOINT|ISSUER)$/.test(name));
  const checked: readonly string[] = BACKING_SERVICES;
  expect([...new Set(urls)].filter((name) => !checked.includes(name)).sort()).toEqual(
    others.filter((name) => urls.includes(name)).sort(),
  );
});
