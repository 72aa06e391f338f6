import { existsSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import ts from 'typescript';

/**
 * The imports, those while running included, that lead nowhere from the compiled files of our own that begin with `entries`.
 * Paths are relative to the directory, which is laid out as `/app` of an image.
 */
export function unresolvedImports(directory: string, entries: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  const missing: string[] = [];
  const queue = [...entries];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const whole = path.join(directory, file);
    if (!existsSync(whole)) {
      missing.push(file);
      continue;
    }
    const { importedFiles } = ts.preProcessFile(readFileSync(whole, 'utf8'), true, true);
    for (const { fileName } of importedFiles) {
      const target = resolve(directory, file, fileName);
      if (target === undefined) missing.push(`${file}: ${fileName}`);
      else if (target.ours) queue.push(target.file);
    }
  }
  return missing;
}

const OURS = /^@partner\/([^/]+)\/(.+)$/;

function resolve(
  directory: string,
  from: string,
  specifier: string,
): { readonly ours: boolean; readonly file: string } | undefined {
  if (isBuiltin(specifier)) return { ours: false, file: specifier };
  if (specifier.startsWith('.')) return { ours: true, file: path.join(path.dirname(from), specifier) };
  const [, workspace, file] = OURS.exec(specifier) ?? [];
  if (workspace !== undefined && file !== undefined) {
    const folder = workspace === 'proto-contracts' ? workspace : `services/${workspace}`;
    return { ours: true, file: `${folder}/dist/${file}.js` };
  }
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  for (let folder = path.dirname(from); ; folder = path.dirname(folder)) {
    const place = path.join(folder, 'node_modules', name);
    if (existsSync(path.join(directory, place))) return { ours: false, file: place };
    if (folder === '.') return undefined;
  }
}
