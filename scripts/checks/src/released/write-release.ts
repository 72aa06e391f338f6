import path from 'node:path';
import { runCommand } from '@partner/local-stack/run-command';
import { writeRelease } from './last-release.js';

/** Records this state as released, for the checks of later changes. */
const root = path.resolve(import.meta.dirname, '../../../..');

const { exitCode, stdout, stderr } = await runCommand(
  path.join(root, 'node_modules/.bin/buf'),
  ['build', '--exclude-source-info', '-o', '-#format=json'],
  { cwd: path.join(root, 'proto-contracts') },
);
process.stderr.write(stderr);
if (exitCode === 0) writeRelease(root, JSON.parse(stdout));
else process.exitCode = 1;
