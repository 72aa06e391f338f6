import { execFileSync } from 'node:child_process';
import { ensureHelm } from '@partner/local-stack/deployment/ensure-helm';

/**
 * Why the pods of the charts can not be run on this machine; undefined where they can. It takes Helm, root, and the right to make
 * mount and process namespaces.
 */
export async function whyNoPods(): Promise<string | undefined> {
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
