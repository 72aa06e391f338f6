import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  descendantsOf,
  processesInDirectory,
  processesWithVariable,
} from '@partner/test-kit/backing-services/process-identity';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';

let isEnding = false;

/** Resolves never if a signal is ending the run, so that its end is not reported as a result. */
export async function runSettled(): Promise<void> {
  if (isEnding) await new Promise(() => undefined);
}

const ROUNDS = 100;

/**
 * Begins a run of tests. Everything that it starts, also in separate sessions and by programs that have ended, has the temporary
 * directory of the run in its environment, works in a directory of the run, or is a descendant of such a process. SIGINT, SIGTERM
 * and SIGHUP end all of it, remove its files and end this process with 130.
 *
 * `name` is the beginning of the name of its directory in `.stack`.
 */
export function beginRun(name: string) {
  const parent = path.join(PROJECT_ROOT, '.stack');
  mkdirSync(parent, { recursive: true });
  const scratch = mkdtempSync(path.join(parent, `${name}-`));
  // For root, Postgres runs as another user, who needs access to the directories.
  chmodSync(scratch, 0o711);
  // Short: the paths of sockets are limited.
  const temporary = mkdtempSync(path.join(tmpdir(), `${name}-`));
  chmodSync(temporary, 0o1777);
  // Also for what this process starts itself.
  process.env['TMPDIR'] = temporary;

  function remove(): void {
    for (const directory of [scratch, temporary])
      // A killed process may still write as it ends.
      rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
  async function killAll(): Promise<void> {
    for (let round = 0; round < ROUNDS; round += 1) {
      const roots = [
        ...[scratch, temporary].flatMap((directory) => processesInDirectory(directory)),
        ...processesWithVariable('TMPDIR', temporary),
      ].map(({ pid }) => pid);
      const found = new Set([process.pid, ...roots].flatMap((pid) => [pid, ...descendantsOf(pid)]));
      found.delete(process.pid);
      if (found.size === 0) return;
      for (const pid of found) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended meanwhile.
        }
      }
      await delay(50);
    }
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (isEnding) return;
      isEnding = true;
      void killAll().finally(() => {
        remove();
        process.exit(130);
      });
    });
  }
  return {
    scratch,
    remove,
  };
}
