import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';

const DECLARATION = /name: '(partner_\w+)',[^{}]*?(?:labels|labelNames): \[([^\]]*)\]/g;

const EVERYWHERE = ['partner_service'];

/**
 * Returns the labels that the sources of the services declare, by metric: for metrics without series before a failure.
 * Excludes a metric whose labels are not literals.
 */
export function declaredLabels(): ReadonlyMap<string, readonly string[]> {
  const folder = path.join(PROJECT_ROOT, 'services');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /^[^/]+\/src\/.*\.ts$/.test(file) && !file.endsWith('.test.ts'),
  );
  const declarations = files.flatMap((file) => [
    ...readFileSync(path.join(folder, file), 'utf8').matchAll(DECLARATION),
  ]);
  return new Map(
    declarations.map(([, name = '', labels = '']) => [
      name,
      [...EVERYWHERE, ...[...labels.matchAll(/'(\w+)'/g)].map(([, label = '']) => label)],
    ]),
  );
}
