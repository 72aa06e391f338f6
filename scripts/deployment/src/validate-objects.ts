import * as gateway from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1';
import * as keda from '@kubernetes-models/keda/keda.sh/v1alpha1';
import * as monitoring from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import * as apps from 'kubernetes-models/apps/v1';
import * as autoscaling from 'kubernetes-models/autoscaling/v2';
import * as batch from 'kubernetes-models/batch/v1';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';
import path from 'node:path';
import ts from 'typescript';
import { z } from 'zod';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import type { KubernetesObject } from './chart-objects.js';

interface KnownVersion {
  readonly module: string;
  readonly models: Readonly<Record<string, unknown>>;
}

const KNOWN_VERSIONS: Readonly<Record<string, KnownVersion>> = {
  v1: { module: 'kubernetes-models/v1', models: core },
  'apps/v1': { module: 'kubernetes-models/apps/v1', models: apps },
  'autoscaling/v2': { module: 'kubernetes-models/autoscaling/v2', models: autoscaling },
  'batch/v1': { module: 'kubernetes-models/batch/v1', models: batch },
  'networking.k8s.io/v1': { module: 'kubernetes-models/networking.k8s.io/v1', models: networking },
  'policy/v1': { module: 'kubernetes-models/policy/v1', models: policy },
  'keda.sh/v1alpha1': { module: '@kubernetes-models/keda/keda.sh/v1alpha1', models: keda },
  'monitoring.coreos.com/v1': {
    module: '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
    models: monitoring,
  },
  'gateway.networking.k8s.io/v1': {
    module: '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1',
    models: gateway,
  },
};

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
  return KNOWN_VERSIONS[apiVersion]?.models[kind] !== undefined;
}

const title = ({ source, object }: RenderedObject) => `${source}: ${object.kind} ${object.metadata.name}`;

function valueViolations(rendered: RenderedObject): readonly string[] {
  const { apiVersion, kind } = rendered.object;
  const Model = KNOWN_VERSIONS[apiVersion]?.models[kind];
  if (Model === undefined) return [`${title(rendered)}: ${apiVersion} has no kind ${kind}`];
  try {
    new (model.parse(Model))(rendered.object).validate();
    return [];
  } catch (error) {
    return [`${title(rendered)}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

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
      const module = KNOWN_VERSIONS[object.apiVersion]?.module ?? '';
      return `import type { I${object.kind} as T${at} } from '${module}'; export const o${at}: T${at} = ${JSON.stringify(object)};`;
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
