import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Zippable, zipSync } from 'fflate';
import { parse } from 'smol-toml';
import { z } from 'zod';
import { withoutRelativeLinks } from './packed-markdown.js';

/** What the wheel takes from `pyproject.toml`. */
const pyproject = z.object({
  project: z.object({
    ...{ name: z.string(), version: z.string(), description: z.string(), license: z.string() },
    'requires-python': z.string(),
    dependencies: z.array(z.string()),
    'optional-dependencies': z.record(z.string(), z.array(z.string())),
    scripts: z.record(z.string(), z.string()).default({}),
  }),
});

/**
 * Packs a pure Python package of `src` as a wheel (version 1.0 of the binary distribution format, metadata 2.4). Returns the name of
 * the file.
 */
export function packWheel(root: string, client: string, target: string): string {
  const read = (file: string) => readFileSync(path.join(client, file));
  const { project } = pyproject.parse(parse(read('pyproject.toml').toString()));
  const name = project.name.replaceAll('-', '_');
  const info = `${name}-${project.version}.dist-info`;
  const modules = readdirSync(path.join(client, 'src', name), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join(name, file.replaceAll(path.sep, '/')))
    .filter((file) => /(?:\.py|\/py\.typed)$/.test(file))
    .sort();
  const scripts = Object.entries(project.scripts).map(([script, place]) => `${script} = ${place}\n`);
  const files = new Map<string, Uint8Array>([
    ...modules.map((file) => [file, read(path.join('src', file))] as const),
    [`${info}/METADATA`, encode(metadata(project, withoutRelativeLinks(read('README.md').toString())))],
    [
      `${info}/WHEEL`,
      encode('Wheel-Version: 1.0\nGenerator: partner\nRoot-Is-Purelib: true\nTag: py3-none-any\n'),
    ],
    ...(scripts.length === 0
      ? []
      : [[`${info}/entry_points.txt`, encode(`[console_scripts]\n${scripts.join('')}`)] as const]),
    [`${info}/licenses/LICENSE`, readFileSync(path.join(root, 'LICENSE'))],
  ]);
  const record = [...files].map(([file, bytes]) => {
    const digest = createHash('sha256').update(bytes).digest('base64url');
    return `${file},sha256=${digest},${bytes.length}\n`;
  });
  files.set(`${info}/RECORD`, encode(`${record.join('')}${info}/RECORD,,\n`));
  const wheel = `${name}-${project.version}-py3-none-any.whl`;
  const content: Zippable = Object.fromEntries(files);
  // Zip files hold local times from 1980 on.
  writeFileSync(path.join(target, wheel), zipSync(content, { mtime: new Date(1980, 0, 2), level: 9 }));
  return wheel;
}

function metadata(project: z.infer<typeof pyproject>['project'], readme: string): string {
  const extras = Object.entries(project['optional-dependencies']).flatMap(([extra, dependencies]) => [
    `Provides-Extra: ${extra}`,
    ...dependencies.map((dependency) => `Requires-Dist: ${dependency}; extra == '${extra}'`),
  ]);
  return `${[
    'Metadata-Version: 2.4',
    `Name: ${project.name}`,
    `Version: ${project.version}`,
    `Summary: ${project.description}`,
    `License-Expression: ${project.license}`,
    'License-File: LICENSE',
    `Requires-Python: ${project['requires-python']}`,
    ...project.dependencies.map((dependency) => `Requires-Dist: ${dependency}`),
    ...extras,
    'Description-Content-Type: text/markdown',
  ].join('\n')}\n\n${readme}`;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
