// Generates code before anything else is compiled: `src/gen` from the protobuf files, and the types of the TypeScript client from the
// API description, which needs the compiled contracts. Does nothing where the files were generated from the same inputs.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const folder = import.meta.dirname;
const programs = path.join(folder, '../node_modules/.bin');
const record = path.join(folder, 'src/gen/.digest');
const clientTypes = path.join(folder, 'clients/typescript/src/gen/schema.ts');

function filesBelow(place, ending) {
  const below = path.join(folder, place);
  if (!existsSync(below)) return [];
  return readdirSync(below, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => path.join(place, file))
    .sort();
}

/** Of the settings, the versions of the programs, the protobuf files, and the generated ones: a missing file is made again. */
function currentDigest() {
  const settings = ['buf.gen.yaml', 'buf.yaml', 'package.json'];
  const hash = createHash('sha256');
  for (const file of [...settings, ...filesBelow('proto', '.proto'), ...filesBelow('src/gen', '.ts')])
    hash.update(`${file}\0${readFileSync(path.join(folder, file), 'utf8')}\0`);
  return hash.digest('hex');
}

/** Runs a program, or ends this process with the reason. */
function run(program, args) {
  const { status, error } = spawnSync(program, args, {
    cwd: folder,
    env: { ...process.env, PATH: `${programs}${path.delimiter}${process.env.PATH}` },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status === 0) return;
  process.stderr.write(`${path.basename(program)} failed: ${error?.message ?? `it exited with ${status}`}\n`);
  process.exit(1);
}

if (!existsSync(record) || readFileSync(record, 'utf8') !== currentDigest()) {
  run(path.join(programs, 'buf'), ['generate']);
  writeFileSync(record, currentDigest());
}

run(process.execPath, [path.join(folder, '../node_modules/typescript-native/bin/tsc'), '-b']);
const { clientDescription } = await import(
  new URL('dist/openapi/client-description.js', import.meta.url).href
);
const description = JSON.stringify(clientDescription(['Error', 'WebhookEnvelope']));
const mark = `// Generated from the API description ${createHash('sha256').update(description).digest('hex')}. Do not edit.\n`;
if (!existsSync(clientTypes) || !readFileSync(clientTypes, 'utf8').startsWith(mark)) {
  const { astToString, default: openapiTS } = await import('openapi-typescript');
  const types = astToString(await openapiTS(description, { defaultNonNullable: false }));
  const version = `/** The version of the API that these types describe. */\nexport const API_VERSION = '${JSON.parse(description).info.version}';\n`;
  mkdirSync(path.dirname(clientTypes), { recursive: true });
  writeFileSync(clientTypes, `${mark}\n${version}\n${types}`);
}
