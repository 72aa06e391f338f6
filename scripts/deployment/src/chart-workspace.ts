import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { lastLines, runCommand } from '@partner/local-stack/run-command';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { ensureHelm } from './ensure-helm.js';
import { kubernetesObject, type KubernetesObject } from './chart-objects.js';

export interface Rendering {
  readonly chart: string;
  readonly valuesFiles?: readonly string[];
  readonly values?: unknown;
  /** Single values in the syntax of Helm's `--set`, e.g. `image.tag=1.2.3,replicaCount=2`. */
  readonly set?: string;
  readonly release?: string;
}

const CHARTS = path.join(PROJECT_ROOT, 'charts');

export function chartNames(): readonly string[] {
  return readdirSync(CHARTS).filter((name) => existsSync(path.join(CHARTS, name, 'Chart.yaml')));
}

export const NAMESPACE = 'partner';

/**
 * Copies all charts to where Helm may write, and builds their dependencies. A release without a name has its chart's name, as with skaffold.
 */
export async function createChartWorkspace() {
  const helm = await ensureHelm();
  const directory = mkdtempSync(path.join(tmpdir(), 'partner-charts-'));
  const charts = path.join(directory, 'charts');
  cpSync(CHARTS, charts, {
    recursive: true,
    // Dependencies from an earlier build may be stale.
    filter: (file) => !/^[^/]+\/charts(\/|$)/.test(path.relative(CHARTS, file)),
  });
  const env = {
    PATH: process.env['PATH'],
    // It ends soon: collecting garbage would take a fifth of its time.
    GOGC: 'off',
    HELM_CACHE_HOME: path.join(directory, 'cache'),
    HELM_CONFIG_HOME: path.join(directory, 'config'),
    HELM_DATA_HOME: path.join(directory, 'data'),
  };
  const run = (args: readonly string[]) => runCommand(helm, args, { cwd: charts, env });

  try {
    for (const chart of chartNames()) {
      if (!readFileSync(path.join(charts, chart, 'Chart.yaml'), 'utf8').includes('dependencies:')) continue;
      const built = await run(['dependency', 'build', chart, '--skip-refresh']);
      if (built.exitCode !== 0) throw new Error(`helm dependency build ${chart}:\n${lastLines(built)}`);
    }
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }

  let renderings = 0;
  const valueArgs = ({ chart, valuesFiles = [], values, set = '' }: Rendering) => {
    const files = valuesFiles.map((file) => path.join(chart, file));
    if (values !== undefined) {
      renderings += 1;
      files.push(path.join(directory, `values-${renderings}.json`));
      writeFileSync(files.at(-1) ?? '', JSON.stringify(values));
    }
    return [...files.flatMap((file) => ['--values', file]), ...(set === '' ? [] : ['--set', set])];
  };
  const template = (rendering: Rendering) => {
    const { chart, release = chart } = rendering;
    return run(['template', release, chart, '--namespace', NAMESPACE, ...valueArgs(rendering)]);
  };
  return {
    template,
    /** Returns the objects of a chart. Throws with Helm's message if rendering fails. */
    async objects(rendering: Rendering) {
      const rendered = await template(rendering);
      if (rendered.exitCode !== 0) {
        throw new Error(`helm template ${rendering.chart}:\n${lastLines(rendered)}`);
      }
      return parseObjects(rendered.stdout);
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

const known = new Map<string, readonly KubernetesObject[]>();

/** YAML as Kubernetes reads it, in which `on` and `yes` are booleans too. Many renderings have the same documents. */
function parseObjects(text: string): readonly KubernetesObject[] {
  return text.split(/^---$/m).flatMap((document) => {
    const objects = known.get(document) ?? parseDocument(document);
    known.set(document, objects);
    return objects;
  });
}

function parseDocument(text: string): readonly KubernetesObject[] {
  return parseAllDocuments(text, { version: '1.1' }).flatMap((document) => {
    const [violation] = document.errors;
    if (violation !== undefined) throw violation;
    const object: unknown = document.toJS();
    return object === null ? [] : [kubernetesObject.parse(object)];
  });
}
