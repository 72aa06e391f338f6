import path from 'node:path';
import { runCommand } from '@partner/local-stack/run-command';
import { RELEASED, writeRelease } from './last-release.js';

/** Records this state as released, for the checks of later changes. */
const root = path.resolve(import.meta.dirname, '../../../..');

writeRelease(root);
const { exitCode, stderr } = await runCommand(
  path.join(root, 'node_modules/.bin/buf'),
  ['build', '-o', path.join(root, RELEASED.folder, RELEASED.contracts)],
  { cwd: path.join(root, 'proto-contracts') },
);
process.stderr.write(stderr);
process.exit(exitCode === 0 ? 0 : 1);
