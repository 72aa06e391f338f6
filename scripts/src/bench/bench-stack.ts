import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { installMissingParts } from '../parts/install-missing-parts.js';
import { PROJECT_ROOT } from '../stack/project-root.js';
import { type Stack, type StackOptions, startStack } from '../stack/start-stack.js';
import { removeStackData, stopStack } from '../stack/stop-stack.js';

/**
 * Starts a stack of its own with private servers for a benchmark, and removes it with all its data when the work is over,
 * however that ended.
 */
export async function withBenchStack<T>(
  options: Required<Pick<StackOptions, 'replicas' | 'report' | 'signal'>>,
  work: (stack: Stack) => Promise<T>,
): Promise<T> {
  await installMissingParts(options.report);
  const root = path.join(PROJECT_ROOT, '.stack');
  mkdirSync(root, { recursive: true });
  const directory = mkdtempSync(path.join(root, 'bench-'));
  try {
    const parts = { kind: 'private', durable: false } as const;
    return await work(await startStack({ ...options, directory, parts, proxyPort: 0 }));
  } finally {
    await stopStack(directory);
    await removeStackData(directory);
    rmSync(directory, { recursive: true, force: true });
  }
}
