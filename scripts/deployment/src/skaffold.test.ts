import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { Service } from 'kubernetes-models/v1';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { readProjectFile } from '@partner/local-stack/project-root';
import { SERVICE_NAMES } from '@partner/local-stack/stack/services';
import { createChartWorkspace } from './chart-workspace.js';
import { objectsOf, podsOf } from './chart-objects.js';

const release = z.looseObject({
  name: z.string(),
  chartPath: z.string(),
  valuesFiles: z.array(z.string()).default([]),
  setValueTemplates: z.record(z.string(), z.string()).default({}),
});

const skaffoldModule = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  deploy: z.looseObject({ helm: z.looseObject({ releases: z.array(release) }) }),
  portForward: z
    .array(z.looseObject({ resourceName: z.string(), port: z.number(), localPort: z.number() }))
    .default([]),
});

const modules = parseAllDocuments(readProjectFile('skaffold.yaml')).map((document) =>
  skaffoldModule.parse(document.toJS()),
);
const moduleOf = (name: string) => modules.filter(({ metadata }) => metadata.name === name);

const workspace = await createChartWorkspace();
afterAll(() => workspace.remove());

test('each local port is forwarded once', () => {
  const ports = modules.flatMap(({ portForward }) => portForward).map(({ localPort }) => localPort);
  expect([...new Set(ports)]).toEqual(ports);
});

const BUILT: Readonly<Record<string, string>> = {
  'image.repository': 'registry.example.org/partner/image',
  'image.tag': '1-dev',
  'image.digest': `sha256:${'0'.repeat(64)}`,
};

const RELEASES = SERVICE_NAMES.flatMap(moduleOf).flatMap(({ metadata, deploy, portForward }) =>
  deploy.helm.releases.map((deployed) => [metadata.name, { deployed, portForward }] as const),
);

test.each(RELEASES)(
  'the chart of %s accepts its values, and has the ports that are forwarded',
  async (name, { deployed, portForward }) => {
    const templates = Object.keys(deployed.setValueTemplates).map((key) => `${key}=${BUILT[key] ?? ''}`);
    const objects = await workspace.objects({
      chart: path.basename(deployed.chartPath),
      valuesFiles: deployed.valuesFiles.map((file) => path.basename(file)),
      set: templates.join(','),
    });
    const container = podsOf({ objects }).find(({ title }) => title.startsWith('Deployment'))?.spec
      .containers[0];
    expect(container?.name).toBe(name);
    expect(container?.image).toMatch(/^registry\.example\.org\/partner\/image:1-dev(@sha256:0{64})?$/);
    expect(portForward.map(({ port }) => port)).toEqual(
      container?.ports?.map(({ containerPort }) => containerPort),
    );
  },
);

test('the servers have the ports that are forwarded', async () => {
  for (const { resourceName, port } of moduleOf('infrastructure').flatMap(({ portForward }) => portForward)) {
    const objects = await workspace.objects({ chart: resourceName });
    const [found] = objectsOf({ objects }, Service.is);
    expect([found?.metadata.name, found?.spec?.ports?.[0]?.port]).toEqual([resourceName, port]);
  }
});
