import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { packWheel } from './pack-wheel.js';
import { withoutRelativeLinks } from './packed-markdown.js';

/**
 * Packs the clients for partners into a folder: the npm package, the wheel, their guides, and `index.json` with their names and
 * checksums. The same sources give the same files. No registry is needed, and no Python.
 */
export function packClients(root: string, target: string): void {
  mkdirSync(target, { recursive: true });
  const clients = path.join(root, 'proto-contracts/clients');
  const files = [
    { language: 'TypeScript', file: packTypescript(root, path.join(clients, 'typescript'), target) },
    { language: 'Python', file: packWheel(root, path.join(clients, 'python'), target) },
  ];
  const pages = {
    'clients.md': path.join(root, 'proto-contracts/docs/clients.md'),
    'typescript.md': path.join(clients, 'typescript/README.md'),
    'python.md': path.join(clients, 'python/README.md'),
  };
  for (const [name, source] of Object.entries(pages))
    writeFileSync(path.join(target, name), withoutRelativeLinks(readFileSync(source, 'utf8')));
  const index = files.map(({ language, file }) => {
    const bytes = readFileSync(path.join(target, file));
    const digest = (algorithm: string, encoding: 'hex' | 'base64') =>
      createHash(algorithm).update(bytes).digest(encoding);
    return {
      ...{ language, file, bytes: bytes.length, sha256: digest('sha256', 'hex') },
      integrity: `sha512-${digest('sha512', 'base64')}`,
    };
  });
  writeFileSync(path.join(target, 'index.json'), `${JSON.stringify({ clients: index }, null, 2)}\n`);
}

/** ES modules, CommonJS and types, compiled anew, so that no file of a former build is packed. Returns the name of the file. */
function packTypescript(root: string, client: string, target: string): string {
  const staging = mkdtempSync(path.join(tmpdir(), 'partner-client-'));
  try {
    const compiler = path.join(root, 'node_modules/typescript-native/bin/tsc');
    const compile = (outDir: string, ...options: readonly string[]) =>
      execFileSync(
        process.execPath,
        [compiler, '-p', 'tsconfig.cjs.json', '--outDir', path.join(staging, outDir), ...options],
        { cwd: client, stdio: ['ignore', 'inherit', 'inherit'] },
      );
    compile(
      'dist',
      '--module',
      'NodeNext',
      '--moduleResolution',
      'NodeNext',
      '--verbatimModuleSyntax',
      'true',
    );
    compile('dist/cjs');
    writeFileSync(path.join(staging, 'dist/cjs/package.json'), JSON.stringify({ type: 'commonjs' }));
    const manifest: unknown = JSON.parse(readFileSync(path.join(client, 'package.json'), 'utf8'));
    const kept = (key: string, value: unknown) => (key === 'devDependencies' ? undefined : value);
    writeFileSync(path.join(staging, 'package.json'), `${JSON.stringify(manifest, kept, 2)}\n`);
    const readme = readFileSync(path.join(client, 'README.md'), 'utf8');
    writeFileSync(path.join(staging, 'README.md'), withoutRelativeLinks(readme));
    cpSync(path.join(root, 'LICENSE'), path.join(staging, 'LICENSE'));
    const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', target];
    return execFileSync('npm', pack, { cwd: staging, encoding: 'utf8' }).trim();
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
