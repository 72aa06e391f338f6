import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { ensureHelm } from '@partner/deployment/ensure-helm';

/**
 * Defines tests that run the pods of the charts where that can be done. Elsewhere one test says why they are left out, which
 * fails in continuous integration (`CI` is set).
 */
export async function defineWithPods(tests: () => void): Promise<void> {
  const obstacle = await whyNoPods();
  if (obstacle === undefined) {
    tests();
    return;
  }
  test('the pods of the charts can not be run here, which continuous integration alone has to be able to', () => {
    process.stderr.write(`left out: ${obstacle}\n`);
    expect(process.env['CI']).toBeUndefined();
  });
}

/** Undefined where they can be run. It takes Helm, root, and the right to make mount and process namespaces. */
async function whyNoPods(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    return 'containers can be run by root on Linux only';
  }
  try {
    execFileSync('unshare', ['--mount', '--pid', '--fork', '--mount-proc', 'true'], { stdio: 'pipe' });
  } catch (error) {
    return `namespaces can not be made: ${textOf(error)}`;
  }
  try {
    await ensureHelm();
  } catch (error) {
    return textOf(error);
  }
  return undefined;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
