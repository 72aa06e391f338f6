import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { lastLines, runCommand } from '@partner/local-stack/run-command';
import { baseEnvironment } from '@partner/test-kit/backing-services/local-process';
import { generatePython, installPython, PYTHON_CODE } from './python-client.js';

const PACKAGE = path.join(PROJECT_ROOT, 'proto-contracts/clients/python');
const scratch = mkdtempSync(path.join(tmpdir(), 'partner-python-client-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const python = await installPython();
const testIfInstalled = python === undefined ? test.skip : test;

/** Runs a command that must succeed. */
async function succeeds(command: string, ...args: readonly string[]): Promise<void> {
  const env = { ...baseEnvironment(), PYTHONPATH: 'src', PYTHONDONTWRITEBYTECODE: '1' };
  const result = await runCommand(command, args, { cwd: PACKAGE, env });
  expect({ args, failure: result.exitCode === 0 ? '' : lastLines(result, 60) }).toEqual({
    args,
    failure: '',
  });
}

describe('the Python client', () => {
  testIfInstalled('has generated code that is current, after `npm run generate` (Python)', async () => {
    await generatePython(python ?? '', scratch);
    const folders = [path.join(scratch, 'gen'), path.join(PROJECT_ROOT, PYTHON_CODE)];
    await succeeds('diff', '-r', '-x', '__pycache__', ...folders);
  });

  testIfInstalled('has code of one style without type errors (Python)', async () => {
    const cache = path.join(scratch, 'cache');
    await succeeds(python ?? '', '-m', 'ruff', 'check', '--no-cache', '.');
    await succeeds(python ?? '', '-m', 'ruff', 'format', '--no-cache', '--check', '.');
    await succeeds(python ?? '', '-m', 'mypy', '--cache-dir', cache, 'src/partner_client', 'tests');
  });

  testIfInstalled(
    'passes its own tests, sync and async, with FastAPI and Django (Python) [CLIENT-2, CLIENT-5, CLIENT-6, CLIENT-7, CLIENT-9, CLIENT-10, CLIENT-14, CLIENT-16, CLIENT-18]',
    async () => {
      await succeeds(python ?? '', '-m', 'unittest', 'discover', '-s', 'tests');
    },
  );
});
