import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { lastLines, runCommand } from '@partner/local-stack/run-command';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import {
  baseEnvironment,
  findProgram,
  LocalServerError,
  startLocalProgram,
} from '@partner/test-kit/backing-services/local-process';

/** A private Docker engine. It ends with this process, and all its containers with it. */
export interface Engine {
  /** The Docker client, and the environment that leads it to this engine. */
  readonly client: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs the client and returns its standard output. Throws with the last lines of its output if it fails. */
  docker(args: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

/** Images and build cache; kept from run to run. */
const DATA = path.join(PROJECT_ROOT, '.stack/containers');

/** Starts the engine, or returns why this machine cannot run one. */
export async function startEngine(): Promise<Engine | { readonly missing: string }> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return { missing: 'needs root on Linux' };
  const server = findProgram('dockerd', ['/usr/sbin']);
  if (server === undefined) return { missing: 'needs Docker, the package docker.io' };
  // A client elsewhere in PATH can lack BuildKit.
  const client = path.join('/usr/bin', 'docker');
  if (!existsSync(client)) return { missing: `needs ${client}` };
  if (findProgram('mmdebstrap') === undefined) return { missing: 'needs mmdebstrap, for the base images' };

  mkdirSync(DATA, { recursive: true });
  // The path of a socket is at most 107 bytes long.
  const directory = mkdtempSync(path.join(tmpdir(), 'engine-'));
  const host = `unix://${directory}/docker.sock`;
  const env = { ...baseEnvironment(), DOCKER_HOST: host, DOCKER_BUILDKIT: '1' };
  const run = (args: readonly string[]) => runCommand(client, args, { cwd: PROJECT_ROOT, env });
  try {
    const local = await startLocalProgram({
      name: 'dockerd',
      command: 'unshare',
      args: [
        // As the first process of its namespace it takes its containers with it, however it ends.
        ...['--mount', '--pid', '--fork', '--kill-child', '--mount-proc', server],
        ...['--host', host, '--data-root', DATA, '--exec-root', path.join(directory, 'run')],
        ...['--pidfile', path.join(directory, 'pid')],
        // Containers use the network of this machine, which stays as it is.
        ...['--bridge=none', '--iptables=false', '--ip-forward=false', '--ip-masq=false'],
      ],
      env: baseEnvironment(),
      cwd: directory,
      logFile: path.join(directory, 'log'),
      isUp: async () => (await run(['version'])).exitCode === 0,
      startTimeoutMs: 120_000,
      stopSignal: 'SIGTERM',
      stopGraceMs: 60_000,
    });
    return {
      client,
      env,
      async docker(args) {
        const result = await run(args);
        if (result.exitCode === 0) return result.stdout;
        throw new Error(`docker ${args.join(' ')} failed:\n${lastLines(result, 30)}`);
      },
      async stop() {
        await local.stop();
        rmSync(directory, { recursive: true, force: true });
      },
    };
  } catch (error) {
    if (!(error instanceof LocalServerError)) throw error;
    return { missing: `Docker does not start: ${error.message}` };
  }
}
