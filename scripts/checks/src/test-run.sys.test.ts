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

test.each(['SIGINT', 'SIGTERM'] as const)(
  'a run of the tests ends everything that it started on %s, also a detached stack, removes its files and reports no result',
  async (signal) => {
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
    // Its program `scripts/up --demo` writes this once the detached stack is complete.
    await eventually(
      'a detached stack',
      async () =>
        readdirSync(place, { recursive: true, encoding: 'utf8' }).some((file) => file.endsWith('stack.json')),
      { timeoutMs: 600_000 },
    );
    const [own = ''] = readdirSync(place);
    const temporary = path.join(place, own);
    const inRun = () => [...processesInDirectory(place), ...processesWithVariable('TMPDIR', temporary)];
    expect(inRun().length).toBeGreaterThan(8);

    run.kill(signal);
    await expect(ended).resolves.toEqual([130, null]);
    expect(output).not.toMatch(/no test file matches|^tests:/m);
    expect(inRun()).toEqual([]);
    expect(readdirSync(place)).toEqual([]);
    rmSync(place, { recursive: true });
  },
);
