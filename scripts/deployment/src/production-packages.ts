import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { PROJECT_ROOT } from '@partner/local-stack/stack/project-root';

const names = z.record(z.string(), z.unknown()).default({});

const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      link: z.boolean().default(false),
      resolved: z.string().optional(),
      dependencies: names,
      optionalDependencies: names,
      peerDependencies: names,
      peerDependenciesMeta: z
        .record(z.string(), z.object({ optional: z.boolean().default(false) }))
        .default({}),
    }),
  ),
});

/** What `npm ci --omit=dev --workspace` installs for one workspace, as places below the root of the project. */
export interface ProductionPackages {
  /** Packages of others, e.g. `node_modules/zod`. */
  readonly installed: readonly string[];
  /** Our own, linked: the place in `node_modules`, and the workspace. */
  readonly linked: ReadonlyMap<string, string>;
}

/** Reads the packages out of package-lock.json. Throws when a dependency that is no option is not there. */
export function productionPackages(workspace: string): ProductionPackages {
  const { packages } = lockFile.parse(
    JSON.parse(readFileSync(path.join(PROJECT_ROOT, 'package-lock.json'), 'utf8')),
  );
  const installed = new Set<string>();
  const linked = new Map<string, string>();

  /** Node's own way: the nearest folder above. */
  const find = (name: string, from: string): string | undefined => {
    for (let folder = from; ; folder = path.posix.dirname(folder)) {
      const place = path.posix.join(folder === '.' ? '' : folder, 'node_modules', name);
      if (path.posix.basename(folder) !== 'node_modules' && packages[place] !== undefined) return place;
      if (folder === '.') return undefined;
    }
  };
  const visited = new Set<string>();
  const visit = (place: string): void => {
    if (visited.has(place)) return;
    visited.add(place);
    const entry = packages[place];
    const optional = Object.keys(entry?.optionalDependencies ?? {});
    const peers = Object.keys(entry?.peerDependencies ?? {}).filter(
      (name) => entry?.peerDependenciesMeta[name]?.optional !== true,
    );
    for (const name of [...Object.keys(entry?.dependencies ?? {}), ...optional, ...peers]) {
      const found = find(name, place);
      if (found === undefined) {
        if (optional.includes(name)) continue;
        throw new Error(`package-lock.json has no ${name} for ${place}`);
      }
      const { link = false, resolved } = packages[found] ?? {};
      if (link && resolved !== undefined) {
        linked.set(found, resolved);
        visit(resolved);
      } else {
        installed.add(found);
        visit(found);
      }
    }
  };
  visit(workspace);
  return { installed: [...installed].sort(), linked };
}
