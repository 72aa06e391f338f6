import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runCommand } from '@partner/local-stack/run-command';
import { writeRelease } from './last-release.js';

/** Records this state as released, with the calls that the file of the argument holds, for the checks of later changes. */
const [file = ''] = process.argv.slice(2);
const root = path.resolve(import.meta.dirname, '../../../..');

const { exitCode, stdout, stderr } = await runCommand(
  path.join(root, 'node_modules/.bin/buf'),
  ['build', '--exclude-source-info', '-o', '-#format=json'],
  { cwd: path.join(root, 'proto-contracts') },
);
process.stderr.write(stderr);
if (exitCode === 0) {
  writeRelease(root, {
    contracts: JSON.parse(stdout),
    recordedCalls: JSON.parse(readFileSync(file, 'utf8')),
  });
} else process.exitCode = 1;
