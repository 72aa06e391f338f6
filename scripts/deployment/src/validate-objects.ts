import { createRequire } from 'node:module';
import path from 'node:path';
import ts from 'typescript';
import { z } from 'zod';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
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
export function validateObjects(rendered: readonly RenderedObject[]): readonly string[] {
  return [
    ...rendered.flatMap(valueViolations),
    ...fieldViolations(rendered.filter(({ object }) => isKnown(object))),
  ];
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

const SOURCE_FILE = path.join(PROJECT_ROOT, 'scripts/deployment/src/rendered-objects.ts');
const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
  lib: ['lib.es2023.d.ts'],
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
};

/** The compiler finds what the checks of values miss: fields that a type does not have, at any depth. */
function fieldViolations(rendered: readonly RenderedObject[]): readonly string[] {
  if (rendered.length === 0) return [];
  const text = rendered
    .map(({ object }, at) => {
      // The file of one kind: the compiler would read those of all kinds of a module.
      const file = path.join(path.dirname(resolve(MODULES[object.apiVersion] ?? '')), object.kind);
      return `import type { I${object.kind} as T${at} } from '${file}'; export const o${at}: T${at} = ${JSON.stringify(object)};`;
    })
    .join('\n');
  const host = ts.createCompilerHost(OPTIONS);
  const readSource = host.getSourceFile.bind(host);
  const program = ts.createProgram([SOURCE_FILE], OPTIONS, {
    ...host,
    fileExists: (file) => file === SOURCE_FILE || host.fileExists(file),
    getSourceFile: (file, languageVersion, ...rest) =>
      file === SOURCE_FILE
        ? ts.createSourceFile(file, text, languageVersion, true)
        : readSource(file, languageVersion, ...rest),
  });
  const source = program.getSourceFile(SOURCE_FILE);
  const violations = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  return violations.map(({ start = 0, messageText }) => {
    const line = source?.getLineAndCharacterOfPosition(start).line ?? 0;
    const at = rendered[line];
    const what = ts.flattenDiagnosticMessageText(messageText, '; ').replaceAll(/\s+/g, ' ');
    return `${at === undefined ? 'rendered objects' : title(at)}: ${what}`;
  });
}
