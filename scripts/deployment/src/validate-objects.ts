import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { runCommand } from '@partner/local-stack/run-command';
import type { KubernetesObject } from './chart-objects.js';
import { exportsOf } from './values/load-service-module.js';

/** The module with the models of each version of an API. */
const MODULES: Readonly<Record<string, string>> = {
  v1: 'kubernetes-models/v1',
  'apps/v1': 'kubernetes-models/apps/v1',
  'autoscaling/v2': 'kubernetes-models/autoscaling/v2',
  'batch/v1': 'kubernetes-models/batch/v1',
  'networking.k8s.io/v1': 'kubernetes-models/networking.k8s.io/v1',
  'policy/v1': 'kubernetes-models/policy/v1',
  'keda.sh/v1alpha1': '@kubernetes-models/keda/keda.sh/v1alpha1',
  'monitoring.coreos.com/v1': '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
  'gateway.networking.k8s.io/v1': '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1',
};

const MODELS = new Map<string, Readonly<Record<string, unknown>>>();
for (const [version, module] of Object.entries(MODULES)) MODELS.set(version, await exportsOf(module));

export interface RenderedObject {
  readonly source: string;
  readonly object: KubernetesObject;
}

const model = z.custom<new (data: unknown) => { validate(): void }>((value) => typeof value === 'function');

/**
 * Returns the violations of objects by the APIs of Kubernetes and of the operators: unknown kinds, values that the API refuses,
 * and unknown fields, which it would drop. Empty without violations.
 */
export async function validateObjects(rendered: readonly RenderedObject[]): Promise<readonly string[]> {
  const fields = await fieldViolations(rendered.filter(({ object }) => isKnown(object)));
  return [...rendered.flatMap(valueViolations), ...fields];
}

function isKnown({ apiVersion, kind }: KubernetesObject): boolean {
  return MODELS.get(apiVersion)?.[kind] !== undefined;
}

const title = ({ source, object }: RenderedObject) => `${source}: ${object.kind} ${object.metadata.name}`;

function valueViolations(rendered: RenderedObject): readonly string[] {
  const { apiVersion, kind } = rendered.object;
  const Model = MODELS.get(apiVersion)?.[kind];
  if (Model === undefined) return [`${title(rendered)}: ${apiVersion} has no kind ${kind}`];
  try {
    new (model.parse(Model))(rendered.object).validate();
    return [];
  } catch (error) {
    return [`${title(rendered)}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

const { resolve } = createRequire(import.meta.url);
const COMPILER = path.join(PROJECT_ROOT, 'node_modules/typescript-native/bin/tsc');
const OPTIONS =
  '--ignoreConfig --strict --noEmit --skipLibCheck --pretty false --lib es2023 --target es2023 --module esnext --moduleResolution bundler';

/** The compiler finds what the checks of values miss: fields that a type does not have, at any depth. */
async function fieldViolations(rendered: readonly RenderedObject[]): Promise<readonly string[]> {
  if (rendered.length === 0) return [];
  const lines = rendered.map(({ object }, at) => {
    // The file of one kind: the compiler would read those of all kinds of a module.
    const file = path.join(path.dirname(resolve(MODULES[object.apiVersion] ?? '')), object.kind);
    return `import type { I${object.kind} as T${at} } from '${file}'; export const o${at}: T${at} = ${JSON.stringify(object)};`;
  });
  const folder = mkdtempSync(path.join(tmpdir(), 'partner-objects-'));
  try {
    writeFileSync(path.join(folder, 'objects.ts'), lines.join('\n'));
    const args = [COMPILER, ...OPTIONS.split(' '), 'objects.ts'];
    const { exitCode, stdout, stderr } = await runCommand(process.execPath, args, { cwd: folder });
    if (exitCode === 0) return [];
    // A line that is indented belongs to the violation before it.
    const violations = stdout.trim().replaceAll(/\n\s+/g, ' ').split('\n');
    return violations.map((violation) => {
      const [, line = '', what = `${violation}${stderr}`] =
        /^objects\.ts\((\d+),\d+\): (.*)$/.exec(violation) ?? [];
      const at = rendered[Number(line) - 1];
      return `${at === undefined ? 'rendered objects' : title(at)}: ${what}`;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
