// Generates `src/gen` from the protobuf files, before anything is compiled. Does nothing if the folder holds what was generated from
// the same files by the same programs.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const folder = import.meta.dirname;
const programs = path.join(folder, '../node_modules/.bin');
const record = path.join(folder, 'src/gen/.digest');

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

if (!existsSync(record) || readFileSync(record, 'utf8') !== currentDigest()) {
  const { status, error } = spawnSync(path.join(programs, 'buf'), ['generate'], {
    cwd: folder,
    env: { ...process.env, PATH: `${programs}${path.delimiter}${process.env.PATH}` },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status === 0) writeFileSync(record, currentDigest());
  else {
    process.stderr.write(
      `buf did not generate proto-contracts/src/gen: ${error?.message ?? `it exited with ${status}`}\n`,
    );
    process.exitCode = 1;
  }
}
