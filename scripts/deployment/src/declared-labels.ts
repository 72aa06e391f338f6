import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '@partner/local-stack/stack/project-root';

/** A metric where it is made, with the labels that it is given there. */
const DECLARATION = /name: '(partner_\w+)',[^{}]*?(?:labels|labelNames): \[([^\]]*)\]/g;

/** What every metric of a process carries. */
const EVERYWHERE = ['partner_service'];

/**
 * The labels that the sources of the services declare, by metric: for those that have no series before something fails. A
 * metric whose labels are not written out there is not among them.
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
