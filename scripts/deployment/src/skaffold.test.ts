import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { PROJECT_ROOT } from '@partner/local-stack/stack/project-root';
import { INGRESS_PATHS, SERVICE_NAMES, type ServiceName } from '@partner/local-stack/stack/services';
import { createChartWorkspace } from './chart-workspace.js';
import { ensureHelm } from './ensure-helm.js';
import { createFormatCheck } from './format-check.js';
import { service as serviceObject, workload } from './kubernetes-object.js';
import { ofKind } from './rules/deployment-rule.js';

const read = (file: string) => readFileSync(path.join(PROJECT_ROOT, file), 'utf8');

const artifact = z.looseObject({
  image: z.string(),
  context: z.string(),
  docker: z.looseObject({
    dockerfile: z.string(),
    target: z.string(),
    buildArgs: z.record(z.string(), z.string()),
  }),
  sync: z.looseObject({ manual: z.array(z.looseObject({ src: z.string(), dest: z.string() })) }).optional(),
});

const release = z.looseObject({
  name: z.string(),
  chartPath: z.string(),
  namespace: z.string(),
  wait: z.boolean().optional(),
  valuesFiles: z.array(z.string()).default([]),
  setValueTemplates: z.record(z.string(), z.string()).default({}),
});

const build = z.looseObject({ artifacts: z.array(artifact).optional() });

const patch = z.object({ op: z.literal('add'), path: z.string(), value: z.unknown() });

const skaffoldModule = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  requires: z.array(z.looseObject({ configs: z.array(z.string()) })).default([]),
  build: build.optional(),
  deploy: z.looseObject({ helm: z.looseObject({ releases: z.array(release) }) }),
  portForward: z
    .array(
      z.looseObject({
        resourceType: z.string(),
        resourceName: z.string(),
        port: z.number(),
        localPort: z.number(),
      }),
    )
    .default([]),
  profiles: z
    .array(
      z.looseObject({
        name: z.string(),
        activation: z.array(z.looseObject({ command: z.string() })).default([]),
        build: build.optional(),
        patches: z.array(patch).default([]),
      }),
    )
    .default([]),
});

type SkaffoldModule = z.infer<typeof skaffoldModule>;

const documents = parseAllDocuments(read('skaffold.yaml')).map((document) =>
  z.unknown().parse(document.toJS()),
);
const modules = documents.map((document) => skaffoldModule.parse(document));
const PROFILES = ['dev', 'debug', 'ci'] as const;

function moduleOf(name: string): SkaffoldModule {
  const found = modules.find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`skaffold.yaml has no module ${name}`);
  return found;
}

function profileOf(service: ServiceName, name: (typeof PROFILES)[number]) {
  const profile = moduleOf(service).profiles.find((candidate) => candidate.name === name);
  if (profile === undefined) throw new Error(`${service} has no profile ${name}`);
  return profile;
}

const format = createFormatCheck('skaffold-v4beta13.json');

const workspace = await createChartWorkspace(await ensureHelm());
afterAll(() => workspace.remove());

describe(`skaffold.yaml${format.note}`, () => {
  test('is valid for skaffold', () => {
    expect(documents.flatMap((document) => format.faults(document))).toEqual([]);
  });
});

describe('the modules of skaffold.yaml', () => {
  test('are the infrastructure, and each service, which depends only on it', () => {
    expect(modules.map(({ metadata }) => metadata.name)).toEqual(['infrastructure', ...SERVICE_NAMES]);
    expect(moduleOf('infrastructure').requires).toEqual([]);
    for (const service of SERVICE_NAMES) {
      expect(moduleOf(service).requires).toEqual([{ configs: ['infrastructure'] }]);
    }
  });

  test('of the services differ only in names and ports', () => {
    const [first, ...others] = SERVICE_NAMES.map((service) =>
      JSON.stringify({ ...moduleOf(service), portForward: [] })
        .replaceAll(service, 'SERVICE')
        .replaceAll(service.replaceAll('-', '_'), 'SERVICE'),
    );
    for (const other of others) expect(other).toBe(first);
  });

  test('wait for the servers that services need', () => {
    const { releases } = moduleOf('infrastructure').deploy.helm;
    expect(releases.map(({ name }) => name)).toEqual(['dev-secrets', 'postgres', 'rabbitmq', 'redis']);
    expect(releases.every(({ wait }) => wait === true)).toBe(true);
  });

  test.each(SERVICE_NAMES)('%s: the image is built of this project by stages that exist', (service) => {
    const stages = [...read('services/Dockerfile').matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) => name);
    for (const [target, artifacts] of [
      ['runtime', moduleOf(service).build?.artifacts],
      ['dev', profileOf(service, 'dev').build?.artifacts],
    ] as const) {
      expect(artifacts).toEqual([
        expect.objectContaining({
          image: `partner/${service}`,
          context: '.',
          docker: { dockerfile: 'services/Dockerfile', target, buildArgs: { SERVICE: service } },
        }),
      ]);
      expect(stages).toContain(target);
    }
  });

  test.each(SERVICE_NAMES)(
    "%s: sources are copied to the folder that the image's compiler watches",
    (service) => {
      const [built] = profileOf(service, 'dev').build?.artifacts ?? [];
      const rules = built?.sync?.manual ?? [];
      expect(rules.map(({ dest }) => dest)).toEqual(['/app', '/app', '/app', '/app']);
      expect(rules.map(({ src }) => src.replace('/**/*.ts', ''))).toEqual([
        `services/${service}/src`,
        'services/kernel/src',
        'services/gateway-kit/src',
        'proto-contracts/src',
      ]);
      for (const { src } of rules)
        expect(existsSync(path.join(PROJECT_ROOT, src.replace('/**/*.ts', '')))).toBe(true);
    },
  );

  test('names of profiles start with their command', () => {
    for (const service of SERVICE_NAMES) {
      expect(moduleOf(service).profiles.map(({ name, activation }) => [name, activation])).toEqual([
        ['dev', [{ command: 'dev' }]],
        ['debug', [{ command: 'debug' }]],
        ['ci', []],
      ]);
    }
  });

  test('forward each local port once, those of docker-compose.yml for the same services', () => {
    const forwards = modules.flatMap(({ portForward }) => portForward);
    const localPorts = forwards.map(({ localPort }) => localPort);
    expect(new Set(localPorts).size).toBe(localPorts.length);

    const compose = z
      .object({ services: z.record(z.string(), z.object({ ports: z.array(z.string()).default([]) })) })
      .parse(parse(read('docker-compose.yml'), { merge: true }));
    for (const [name, { ports }] of Object.entries(compose.services)) {
      const forwarded = forwards.filter(({ resourceName }) => resourceName === name);
      for (const port of ports) {
        const [, local = '', inside = ''] = /:-(\d+)\}:(\d+)$/.exec(port) ?? [];
        if (local === '' || !(name in INGRESS_PATHS || ['postgres', 'rabbitmq', 'redis'].includes(name)))
          continue;
        expect(forwarded).toContainEqual(
          expect.objectContaining({ port: Number(inside), localPort: Number(local) }),
        );
      }
    }
  });
});

describe('what skaffold deploys', () => {
  test.each(SERVICE_NAMES.flatMap((service) => PROFILES.map((profile) => [service, profile] as const)))(
    '%s: the chart accepts what the profile %s sets, with and without a build, and has the ports that are forwarded',
    async (service, profile) => {
      const { deploy, portForward } = moduleOf(service);
      const [deployed] = deploy.helm.releases;
      expect(deployed).toMatchObject({
        name: service,
        chartPath: `charts/${service}`,
        namespace: 'partner-dev',
      });
      const added = addedValues(profileOf(service, profile).patches);
      const containerWith = async (valueOf: (template: string) => string) => {
        const templates = Object.entries({ ...deployed?.setValueTemplates, ...added.setValueTemplates });
        const objects = await workspace.objects({
          chart: service,
          valuesFiles: (deployed?.valuesFiles ?? []).map((file) => path.basename(file)),
          set: [
            ...templates.map(([name, template]) => `${name}=${valueOf(template)}`),
            ...Object.entries(added.setValues).map(([name, value]) => `${name}=${String(value)}`),
          ].join(','),
        });
        return ofKind({ objects }, 'Deployment', workload)[0]?.spec.template.spec.containers[0];
      };
      const container = await containerWith(afterBuild);

      expect(container?.image).toMatch(
        new RegExp(`^registry\\.example\\.org/partner/${service}:1-dev(@sha256:0{64})?$`),
      );
      expect(container?.image.includes('@')).toBe(profile === 'ci');
      await expect(containerWith(withoutBuild)).resolves.toMatchObject({ image: `partner/${service}:dev` });
      expect(container?.securityContext?.readOnlyRootFilesystem).toBe(profile !== 'dev');
      expect(
        portForward.map(({ resourceType, resourceName, port }) => [resourceType, resourceName, port]),
      ).toEqual(container?.ports.map(({ containerPort }) => ['deployment', service, containerPort]));
    },
  );

  /** Returns the values of the release that the patches of a profile add. */
  function addedValues(patches: SkaffoldModule['profiles'][number]['patches']) {
    const added: { setValues: Record<string, unknown>; setValueTemplates: Record<string, string> } = {
      setValues: {},
      setValueTemplates: {},
    };
    for (const { path: pointer, value } of patches) {
      const [, list = '', name] = /^\/deploy\/helm\/releases\/0\/(\w+)(?:\/(.+))?$/.exec(pointer) ?? [];
      if (list === 'setValues') Object.assign(added.setValues, value);
      else if (list === 'setValueTemplates' && name !== undefined)
        added.setValueTemplates[name] = String(value);
      else expect([list, value]).toEqual(['wait', true]);
    }
    return added;
  }

  const TEMPLATE = /^\{\{or \.IMAGE_(REPO|TAG|DIGEST)_(\w+) "(.*)"\}\}$/;

  /** Returns skaffold's result of a template after a build. */
  function afterBuild(template: string): string {
    const [, name = '', image = ''] = TEMPLATE.exec(template) ?? [];
    const repository = `registry.example.org/${image.replace('_', '/').replaceAll('_', '-')}`;
    return { REPO: repository, TAG: '1-dev', DIGEST: `sha256:${'0'.repeat(64)}` }[name] ?? template;
  }

  /** Returns its result with `render --digest-source=none`: no variable is set. */
  function withoutBuild(template: string): string {
    return TEMPLATE.exec(template)?.[3] ?? template;
  }

  test('the servers have the ports that are forwarded', async () => {
    const { portForward } = moduleOf('infrastructure');
    for (const { resourceName, port, resourceType } of portForward) {
      const objects = await workspace.objects({ chart: resourceName });
      const [found] = ofKind({ objects }, 'Service', serviceObject);
      expect([resourceType, found?.metadata.name, found?.spec.ports[0]?.port]).toEqual([
        'service',
        resourceName,
        port,
      ]);
    }
  });
});
