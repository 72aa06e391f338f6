import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import {
  processesInDirectory,
  processesWithVariable,
} from '@partner/test-kit/backing-services/process-identity';
import { eventually } from '@partner/test-kit/eventually';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';

test.each<[NodeJS.Signals, string, (files: readonly string[]) => boolean]>([
  ['SIGINT', 'the servers of the tests', () => true],
  // Its program `scripts/up --demo` writes this once the detached stack is complete.
  ['SIGTERM', 'a detached stack', (files) => files.some((file) => file.endsWith('stack.json'))],
])(
  'a run of the tests ends everything that it started on %s, also %s, removes its files and reports no result',
  async (signal, what, isStarted) => {
    const place = mkdtempSync(path.join(tmpdir(), 'partner-run-'));
    // For root, Postgres runs as another user.
    chmodSync(place, 0o711);
    const main = path.join(PROJECT_ROOT, 'scripts/checks/dist/test.js');
    const run = spawn(process.execPath, [main, 'local-stack/dist/up/up\\.sys', '--only', 'sys'], {
      cwd: PROJECT_ROOT,
      env: { ...process.env, TMPDIR: place },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A signal of a terminal would also reach the other processes of the run.
      detached: true,
    });
    const ended = once(run, 'close');
    let output = '';
    for (const stream of [run.stdout, run.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    let temporary = place;
    const inRun = () => [...processesInDirectory(place), ...processesWithVariable('TMPDIR', temporary)];
    const hasStarted = async () => {
      const files = readdirSync(place, { recursive: true, encoding: 'utf8' });
      temporary = path.join(place, files[0] ?? '');
      return isStarted(files) && inRun().length > 8;
    };
    await eventually(what, hasStarted, { timeoutMs: 600_000 });

    run.kill(signal);
    await expect(ended).resolves.toEqual([130, null]);
    expect(output).not.toMatch(/no test file matches|^tests:/m);
    expect(inRun()).toEqual([]);
    expect(readdirSync(place)).toEqual([]);
    rmSync(place, { recursive: true });
  },
);
