import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';

export const SOURCES = ['proto-contracts', 'services', 'scripts'];
const NOT_OURS = /\/(node_modules|dist|gen|coverage|__pycache__|\.\w+_cache)\/|^charts\/[\w-]+\/charts\//;

/** The project's files relative to its root, without dependencies and without compiled or generated code. */
export function projectFiles(): readonly string[] {
  const below = ['.github', 'charts', ...SOURCES].flatMap((top) =>
    readdirSync(path.join(PROJECT_ROOT, top), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => path.relative(PROJECT_ROOT, path.join(parentPath, name))),
  );
  return [...readdirSync(PROJECT_ROOT), ...below].filter((file) => !NOT_OURS.test(file));
}

export function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Returns a function for the digest of those files, with their names, that a pattern matches. */
export function createDigests(): (pattern: RegExp) => string {
  const lines = projectFiles()
    .filter((file) => lstatSync(path.join(PROJECT_ROOT, file)).isFile())
    .sort()
    .map((file) => ({ file, line: `${file} ${digestOf(readFileSync(path.join(PROJECT_ROOT, file)))}` }));
  return (pattern) =>
    digestOf(
      lines
        .filter(({ file }) => pattern.test(file))
        .map(({ line }) => line)
        .join('\n'),
    );
}
