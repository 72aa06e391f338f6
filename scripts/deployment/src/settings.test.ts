import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { PROJECT_ROOT } from '@partner/local-stack/stack/project-root';
import { SERVICE_NAMES, type ServiceName } from '@partner/local-stack/stack/services';
import { type ChartWorkspace, createChartWorkspace } from './chart-workspace.js';
import { documentedSettings, SETTINGS_PAGE } from './documented-settings.js';
import { ensureHelm } from './ensure-helm.js';
import { type KubernetesObject, kubernetesObject } from './kubernetes-object.js';
import { containersOf, deploymentsOf, ofKind, serviceContainer } from './rules/deployment-rule.js';
import { environmentOf, textOf, type VariableSource } from './rules/environment-of.js';
import { isSettingOfOthers, settingsOf, settingsOfProgram } from './service-settings.js';
import { VALUES_SETS } from './service-values.js';

/** What stands for a secret where its form is checked. */
const SECRETS: Readonly<Record<string, string>> = {
  AMQP_URL: 'amqps://partner:secret@rabbitmq:5671',
  POSTGRES_URL: 'postgres://partner:secret@postgres:5432/partner',
  REDIS_URL: 'rediss://:secret@redis:6379/0',
  SMTP_URL: 'smtps://partner:secret@mail:465',
  CURSOR_SIGNING_KEY: Buffer.alloc(32, 1).toString('base64'),
  WEBHOOK_SEALING_KEYS: `k1:${Buffer.alloc(32, 2).toString('base64')}`,
};

const read = (file: string): unknown =>
  parse(readFileSync(path.join(PROJECT_ROOT, file), 'utf8'), { merge: true });

const compose = z
  .object({
    services: z.record(
      z.string(),
      z.object({
        environment: z.record(z.string(), z.union([z.string(), z.number()]).transform(String)).default({}),
        command: z.array(z.string()).default([]),
      }),
    ),
  })
  .parse(read('docker-compose.yml')).services;

const scaledObject = kubernetesObject.extend({ spec: z.looseObject({ minReplicaCount: z.number() }) });

let workspace: ChartWorkspace;
const rendered = new Map<string, readonly KubernetesObject[]>();

beforeAll(async () => {
  workspace = await createChartWorkspace(await ensureHelm());
  for (const { service, name, rendering } of VALUES_SETS) {
    rendered.set(`${service} ${name}`, await workspace.objects(rendering));
  }
});

afterAll(() => workspace.remove());

function chartEnvironment(service: ServiceName, set: string): ReadonlyMap<string, VariableSource> {
  const objects = rendered.get(`${service} ${set}`) ?? [];
  const chart = { service, isDevelopment: false, objects };
  return environmentOf(serviceContainer(chart), chart);
}

/** `rpcTimeoutMs` gives `RPC_TIMEOUT_MS`. */
const variableOf = (value: string) => value.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** What the values of a chart can set, those included that stand empty in values.yaml. */
function settableByChart(service: ServiceName): readonly string[] {
  const { config } = z
    .looseObject({ config: z.record(z.string(), z.unknown()) })
    .parse(read(`charts/${service}/values.yaml`));
  return [
    ...new Set([...Object.keys(config).map(variableOf), ...chartEnvironment(service, 'default').keys()]),
  ];
}

const sorted = (names: Iterable<string>) => [...new Set(names)].sort();

const own = (names: Iterable<string>) => sorted(names).filter((name) => !isSettingOfOthers(name));

const lacking = (names: readonly string[], from: readonly string[]) =>
  names.filter((name) => !from.includes(name));

describe.each(SERVICE_NAMES)('the settings of %s', (service) => {
  test('are the ones that its chart can set', async () => {
    const { names } = await settingsOf(service);
    const settable = own(settableByChart(service));
    expect({
      'missing in the chart': lacking(names, settable),
      'in the chart, unknown to the service': lacking(settable, names),
    }).toEqual({ 'missing in the chart': [], 'in the chart, unknown to the service': [] });
  });

  test('are the ones that charts/docs/settings.md lists', async () => {
    const { names } = await settingsOf(service);
    const documented = sorted(documentedSettings().get(service) ?? []).filter((name) => name !== 'OTEL_*');
    expect({
      [`missing in ${SETTINGS_PAGE}`]: lacking(names, documented),
      [`in ${SETTINGS_PAGE}, unknown to the service`]: lacking(documented, names),
    }).toEqual({ [`missing in ${SETTINGS_PAGE}`]: [], [`in ${SETTINGS_PAGE}, unknown to the service`]: [] });
  });

  test('that it needs are in docker-compose.yml, and no others than it knows', async () => {
    const { names, required } = await settingsOf(service);
    const given = own(Object.keys(compose[service]?.environment ?? {}));
    expect({
      'missing in docker-compose.yml': lacking(required, given),
      'in docker-compose.yml, unknown to the service': lacking(given, names),
    }).toEqual({ 'missing in docker-compose.yml': [], 'in docker-compose.yml, unknown to the service': [] });
  });

  test('have values in docker-compose.yml that it takes', async () => {
    const { faults } = await settingsOf(service);
    const given = Object.entries(compose[service]?.environment ?? {}).map(
      // As without the variables that may stand in them.
      ([name, value]) => [name, value.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')] as const,
    );
    expect(faults(Object.fromEntries(given))).toEqual([]);
  });

  test.each(VALUES_SETS.filter((set) => set.service === service).map(({ name }) => name))(
    'have values in its chart, values %s, that it takes',
    async (set) => {
      const { faults } = await settingsOf(service);
      const environment = [...chartEnvironment(service, set)].map(([name, source]) => {
        if (source.from !== 'secret') return [name, source.value] as const;
        return [name, SECRETS[name] ?? `no secret of any service: ${name}`] as const;
      });
      expect(faults(Object.fromEntries(environment))).toEqual([]);
    },
  );
});

test.each(['default', 'dev', 'sandbox', 'production'])(
  'the deliveries that job-state has under way are no more than the fewest dispatchers can carry, values %s',
  (set) => {
    const numberOf = (service: ServiceName, name: string) =>
      Number(textOf(chartEnvironment(service, set), name));
    const objects = rendered.get(`webhook-dispatcher ${set}`) ?? [];
    const [scaled] = ofKind({ objects }, 'ScaledObject', scaledObject);
    const [deployment] = deploymentsOf({ service: 'webhook-dispatcher', objects });
    const replicas = scaled?.spec.minReplicaCount ?? deployment?.spec.replicas ?? 1;
    expect(numberOf('job-state', 'DELIVERIES_IN_FLIGHT')).toBeLessThanOrEqual(
      numberOf('webhook-dispatcher', 'DELIVERY_CONCURRENCY') * replicas,
    );
  },
);

describe('every program that a chart or docker-compose.yml runs', () => {
  const programOf = (args: readonly string[]) => /^dist\/(.+)\.js$/.exec(args.at(-1) ?? '')?.[1];

  test('exists, and gets the settings that it reads, and no secret besides', async () => {
    const runs = [
      ...[...rendered].flatMap(([title, objects]) =>
        containersOf({ objects }).map(({ title: where, container }) => ({
          title: `${title}, ${where}`,
          program: programOf(container.args),
          given: [...environmentOf(container, { objects }).keys()],
          hasCommonSettings: container.envFrom.length > 0,
        })),
      ),
      ...Object.entries(compose).map(([title, { command, environment }]) => ({
        title: `docker-compose.yml, ${title}`,
        program: programOf(command),
        given: Object.keys(environment),
        hasCommonSettings: true,
      })),
    ].filter(({ program }) => program !== undefined);

    expect(runs.length).toBeGreaterThan(5);
    const faults = await Promise.all(
      runs.map(async ({ title, program = '', given, hasCommonSettings }) => {
        const file = path.join(PROJECT_ROOT, 'services/job-state/dist', `${program}.js`);
        if (!existsSync(file)) return [`${title}: there is no program ${program}`];
        const { names, required } = await settingsOfProgram(program);
        // A program that gets the settings of its service leaves alone what it does not read; secrets are another thing.
        const unknown = lacking(own(given), names).filter(
          (name) => name in SECRETS || (!hasCommonSettings && name !== 'NODE_EXTRA_CA_CERTS'),
        );
        return [
          ...lacking(required, given).map((name) => `${title}: ${program} needs ${name}`),
          ...unknown.map((name) => `${title}: ${program} does not know ${name}`),
        ];
      }),
    );
    expect(faults.flat()).toEqual([]);
  });
});

test.each(['migrate', 'seed-sandbox', 'simulate-sandbox'])(
  'the settings of %s are in charts/docs/settings.md',
  async (program) => {
    const { names } = await settingsOfProgram(program);
    expect(lacking(names, [...documentedSettings().values()].flat())).toEqual([]);
  },
);

test('a setting that is not documented, or documented for nobody, is seen', () => {
  const table = '# Settings\n\n| all | `A_ONE`, `OTEL_*` | |\n| gateways, console | `B_TWO` | |\n';
  expect(Object.fromEntries(documentedSettings(table))).toEqual({
    'job-state': ['A_ONE', 'OTEL_*'],
    'inbound-gateway': ['A_ONE', 'OTEL_*', 'B_TWO'],
    'installer-gateway': ['A_ONE', 'OTEL_*', 'B_TWO'],
    console: ['A_ONE', 'OTEL_*', 'B_TWO'],
    'webhook-dispatcher': ['A_ONE', 'OTEL_*'],
  });
});
