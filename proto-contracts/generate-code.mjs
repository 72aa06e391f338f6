// Generates `src/gen` from the protobuf files, before anything is compiled. Does nothing if the folder was generated from the same
// files by the same programs.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const folder = import.meta.dirname;
const programs = path.join(folder, '../node_modules/.bin');
/** In the folder itself, so that it goes with the folder. */
const record = path.join(folder, 'src/gen/.inputs');

/** The settings, the versions of the programs, and the protobuf files. */
const inputs = [
  ...['buf.gen.yaml', 'buf.yaml', 'package.json'],
  ...readdirSync(path.join(folder, 'proto'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.proto'))
    .map((file) => path.join('proto', file))
    .sort(),
];
const hash = createHash('sha256');
for (const file of inputs)
  hash
    .update(`${file}\0`)
    .update(readFileSync(path.join(folder, file)))
    .update('\0');
const digest = hash.digest('hex');

if (!existsSync(record) || readFileSync(record, 'utf8') !== digest) {
  const { status, error } = spawnSync(path.join(programs, 'buf'), ['generate'], {
    cwd: folder,
    env: { ...process.env, PATH: `${programs}${path.delimiter}${process.env.PATH}` },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0)
    throw new Error(
      `buf did not generate proto-contracts/src/gen: ${error?.message ?? `it exited with ${status}`}`,
    );
  writeFileSync(record, digest);
}
