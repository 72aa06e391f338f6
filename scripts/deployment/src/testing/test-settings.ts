import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { expect, test } from '@jest/globals';
import { BACKING_SERVICES } from '@partner/kernel/process/production-settings';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { COMPOSE_SERVICES } from '../compose-file.js';
import { PROGRAM_NAMES, settingsOf } from '../values/declared-settings.js';
import {
  containersOf,
  deploymentOf,
  environmentOf,
  objectsOf,
  textOf,
  type RenderedService,
} from '../chart-objects.js';

const SECRETS: Readonly<Record<string, string>> = {
  AMQP_URL: 'amqps://partner:secret@rabbitmq:5671',
  POSTGRES_URL: 'postgres://partner:secret@postgres:5432/partner',
  REDIS_URL: 'rediss://:secret@redis:6379/0',
  SMTP_URL: 'smtps://partner:secret@mail:465',
  OIDC_CLIENT_SECRET: 'secret',
  CURSOR_SIGNING_KEY: randomBytes(32).toString('base64'),
  WEBHOOK_SEALING_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  WEBHOOK_SIGNING_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  SESSION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
};

/** Read by Node itself. */
const OF_NODE = ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS'];

const lacking = (names: readonly string[], from: readonly string[]) =>
  names.filter((name) => !from.includes(name));

const namesOf = (program: string) => settingsOf(program).settings.map(({ name }) => name);

export function testSettings(rendered: RenderedService): void {
  const { violations } = settingsOf(rendered.service);

  test('have settings that the service accepts, and no unknown names', () => {
    const environment = environmentOf(deploymentOf(rendered).container);
    const values = [...environment].map(([name, source]) => {
      if (source.from !== 'secret') return [name, source.value] as const;
      return [name, SECRETS[name] ?? `no secret of any service: ${name}`] as const;
    });
    expect(violations(Object.fromEntries(values))).toEqual([]);
    expect(lacking([...environment.keys()], [...namesOf(rendered.service), ...OF_NODE])).toEqual([]);
  });
}

/** Tests that compare the settings of several services, or of programs besides them. */
export function testSettingsOfAll(services: readonly RenderedService[]): void {
  test.each(['default', 'dev', 'sandbox', 'production'])(
    'the minimum of dispatchers can handle all deliveries in flight of job-state, values %s',
    (set) => {
      const [jobState, dispatcher] = (['job-state', 'webhook-dispatcher'] as const).map((service) => {
        const { objects = [] } = services.find(({ title }) => title === `${service}, ${set}`) ?? {};
        const [scaled] = objectsOf({ objects }, ScaledObject.is);
        const { deployment, container } = deploymentOf({ service, objects });
        const replicas = scaled?.spec.minReplicaCount ?? deployment.spec?.replicas ?? 1;
        return { replicas, numberOf: (name: string) => Number(textOf(container, name)) };
      });
      expect(jobState?.numberOf('DELIVERIES_IN_FLIGHT')).toBeLessThanOrEqual(
        (dispatcher?.numberOf('DELIVERY_CONCURRENCY') ?? 0) * (dispatcher?.replicas ?? 0),
      );
    },
  );

  test('each program of a chart or docker-compose.yml exists, and receives its settings and no other secret', () => {
    const programOf = (args: readonly string[]) => /^dist\/(.+)\.js$/.exec(args.at(-1) ?? '')?.[1];
    const runs = [
      ...services.flatMap(({ title, objects }) =>
        containersOf({ objects }).map(({ title: where, container }) => ({
          title: `${title}, ${where}`,
          program: programOf(container.args ?? []),
          given: [...environmentOf(container).keys()],
        })),
      ),
      ...Object.entries(COMPOSE_SERVICES).map(([title, { command, environment }]) => ({
        title: `docker-compose.yml, ${title}`,
        program: programOf(command),
        given: Object.keys(environment),
      })),
    ].filter(({ program }) => program !== undefined);

    expect(runs.length).toBeGreaterThan(5);
    const violations = runs.flatMap(({ title, program = '', given }) => {
      const file = path.join(PROJECT_ROOT, 'services/job-state/dist', `${program}.js`);
      if (!existsSync(file)) return [`${title}: there is no program ${program}`];
      const { settings } = settingsOf(program);
      const required = settings.filter(({ isRequired }) => isRequired).map(({ name }) => name);
      // It ignores the other settings of its service.
      const unknown = lacking(given, namesOf(program)).filter((name) => name in SECRETS);
      return [
        ...lacking(required, given).map((name) => `${title}: ${program} needs ${name}`),
        ...unknown.map((name) => `${title}: ${program} does not read ${name}`),
      ];
    });
    expect(violations).toEqual([]);
  });

  test('production checks every URL of a backing service for TLS', () => {
    // Their own rules require TLS, or they are no connection of the service.
    const others = ['SMTP_URL', 'OIDC_ISSUER', 'PUBLIC_BASE_URL', 'WEBHOOK_BASE_URL'];
    const urls = PROGRAM_NAMES.flatMap(namesOf).filter((name) => /_(URLS?|ENDPOINT|ISSUER)$/.test(name));
    expect(lacking([...new Set(urls)], BACKING_SERVICES).sort()).toEqual(
      others.filter((name) => urls.includes(name)).sort(),
    );
  });
}
