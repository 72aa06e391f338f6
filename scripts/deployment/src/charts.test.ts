import { afterAll, describe, expect, test } from '@jest/globals';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { Secret } from 'kubernetes-models/v1';
import { readProjectFile } from '@partner/local-stack/project-root';
import { SERVICE_NAMES } from '@partner/local-stack/stack/services';
import { chartNames, createChartWorkspace } from './chart-workspace.js';
import {
  containersOf,
  deploymentOf,
  environmentOf,
  objectsOf,
  type RenderedService,
} from './chart-objects.js';
import { readRefusedRanges } from './values/load-service-module.js';
import { imageOf, valuesSets } from './service-values.js';
import { testPolicies, testRoutes } from './testing/test-network.js';
import { testObjects, testPods } from './testing/test-pods.js';
import { testSettings, testSettingsOfAll } from './testing/test-settings.js';
import { type RenderedObject, validateObjects } from './validate-objects.js';

const refused = await readRefusedRanges();

const PARTS = ['dev-secrets', 'postgres', 'rabbitmq', 'receiver', 'redis'];
const LIBRARY = 'service-common';

const workspace = await createChartWorkspace();
afterAll(() => workspace.remove());

const services: RenderedService[] = [];
for (const service of SERVICE_NAMES)
  for (const [name, rendering] of Object.entries(valuesSets(service))) {
    const objects = await workspace.objects(rendering);
    services.push({ title: `${service}, ${name}`, service, isDevelopment: name === 'dev', objects });
  }
const parts: RenderedObject[] = [];
for (const chart of PARTS) {
  const objects = await workspace.objects({ chart });
  parts.push(...objects.map((object) => ({ source: chart, object })));
}

test('every chart is checked', () => {
  expect([...chartNames()].sort()).toEqual([...SERVICE_NAMES, ...PARTS, LIBRARY].sort());
});

test('Kubernetes and the operators accept every kind, field and value', async () => {
  const objects = services.flatMap(({ title, objects: made }) =>
    made.map((object) => ({ source: title, object })),
  );
  expect(objects.length).toBeGreaterThan(100);
  expect(await validateObjects([...objects, ...parts])).toEqual([]);
});

describe.each(services)('the pods of $title', (rendered) => {
  testObjects(rendered);
  testPods(rendered);
  testPolicies(rendered, refused);
  testRoutes(rendered);
  testSettings(rendered);
});

describe('the settings of all services', () => {
  testSettingsOfAll(services);
});

describe('the pods of the parts for development', () => {
  testObjects({ objects: parts.map(({ object }) => object) });
});

describe("a developer's cluster", () => {
  const partsOf = (source: string) =>
    parts.filter((part) => part.source === source).map(({ object }) => object);

  test('has every secret, with every key, that its charts need', () => {
    const given = objectsOf({ objects: partsOf('dev-secrets') }, Secret.is).flatMap(
      ({ metadata, stringData = {} }) => Object.keys(stringData).map((key) => `${metadata.name}: ${key}`),
    );
    const optional = new Set<string>();
    const asked = [
      ...services.filter(({ isDevelopment }) => isDevelopment),
      { objects: parts.map(({ object }) => object) },
    ].flatMap(({ objects }) =>
      containersOf({ objects }).flatMap(({ container, spec }) => [
        ...[...environmentOf(container).values()].flatMap((source) => {
          if (source.from !== 'secret') return [];
          const name = `${source.name}: ${source.key}`;
          if (source.optional) optional.add(name);
          return source.optional ? [] : [name];
        }),
        ...(spec.volumes ?? []).flatMap(({ name, secret }) =>
          [
            ...(secret?.items ?? []).map(({ key }) => key),
            ...(container.volumeMounts ?? [])
              .filter((mount) => mount.name === name)
              .map(({ subPath }) => subPath),
          ].flatMap((key) =>
            secret === undefined || key === undefined ? [] : [`${secret.secretName}: ${key}`],
          ),
        ),
      ]),
    );
    expect([...new Set(asked)].sort()).toEqual(given.filter((name) => !optional.has(name)).sort());
  });

  test.each([
    ['postgres', ['job-state']],
    ['rabbitmq', [...SERVICE_NAMES]],
    ['receiver', ['webhook-dispatcher']],
    ['redis', ['console', 'inbound-gateway', 'installer-gateway']],
  ])('only the services that need %s may reach it, and it may reach nothing', (part, allowed) => {
    const policies = objectsOf({ objects: partsOf(part) }, NetworkPolicy.is);
    const peers = policies.flatMap(({ spec }) => spec?.ingress ?? []).flatMap(({ from = [] }) => from);
    expect(peers).toHaveLength(1);
    expect(peers.flatMap(({ podSelector }) => podSelector?.matchExpressions ?? [])).toEqual([
      { key: 'app.kubernetes.io/name', operator: 'In', values: expect.anything() },
    ]);
    expect(
      peers.flatMap(({ podSelector }) => podSelector?.matchExpressions?.[0]?.values ?? []).sort(),
    ).toEqual(allowed.sort());
    expect(policies.flatMap(({ spec }) => spec?.policyTypes ?? []).sort()).toEqual(['Egress', 'Ingress']);
    expect(policies.flatMap(({ spec }) => spec?.egress ?? [])).toEqual([]);
  });
});

test.each(services.filter(({ title, service }) => title === `${service}, default`))(
  'does not restart pods of $service for scaling',
  async (rendered) => {
    const { service } = rendered;
    for (const set of ['replicaCount=10', 'autoscaling.enabled=true,autoscaling.maxReplicas=9']) {
      const objects = await workspace.objects({ chart: service, ...valuesSets(service)['default'], set });
      expect(deploymentOf({ service, objects }).deployment.spec?.template).toEqual(
        deploymentOf(rendered).deployment.spec?.template,
      );
    }
  },
);

test.each([...SERVICE_NAMES.map((service) => `charts/${service}/README.md`), 'charts/docs/operating.md'])(
  'the values of the command in %s render its chart',
  async (page) => {
    const [, release = '', chart = '', valuesFile = '', set = ''] =
      /^helm upgrade --install (\S+) charts\/(\S+) [^\n]*\\\n {2}--values charts\/\2\/(\S+) --values yours\.yaml --set (\S+)/m.exec(
        readProjectFile(page),
      ) ?? [];
    const image = { repository: `registry.example.com/partner/${chart}` };
    const rendering = { release, chart, valuesFiles: [valuesFile], values: { image }, set };
    const objects = await workspace.objects(rendering);
    expect(objects.map(({ kind }) => kind)).toContain('Deployment');
  },
);

test('allows lookups at each DNS port that is listed, by UDP and TCP', async () => {
  const networkPolicy = { dns: { ports: [53, 5300] } };
  const values = { image: imageOf('job-state'), seed: { enabled: true }, networkPolicy };
  const objects = await workspace.objects({ chart: 'job-state', values });
  const rules = objectsOf({ objects }, NetworkPolicy.is)
    .flatMap(({ spec }) => spec?.egress ?? [])
    .filter(({ ports = [] }) => ports.some(({ protocol }) => protocol === 'UDP'));
  const listed = [53, 5300].flatMap((port) => ['UDP', 'TCP'].map((protocol) => ({ protocol, port })));
  // The service, its migration and its seed.
  expect(rules.map(({ ports }) => ports)).toEqual(Array(3).fill(listed));
});
