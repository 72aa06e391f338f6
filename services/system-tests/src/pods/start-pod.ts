import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { endOfLog, findProgram } from '@partner/test-kit/backing-services/local-process';
import { eventually } from '@partner/test-kit/eventually';
import type { PodPlan, Probe } from './pod-plan.js';

/** How a container came to its end. */
export interface PodEnd {
  /** Null: a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The container of a pod, running as a process of this machine that sees no more than its image. */
export interface Pod {
  readonly name: string;
  readonly plan: PodPlan;
  readonly logFile: string;
  /** The port of this machine that stands for one of the container's, e.g. `admin`. */
  port(name: string): number;
  /** Asks once as a kubelet does: whether the answer is 2xx or 3xx in time. */
  ask(probe: Probe): Promise<boolean>;
  /** Asks a probe until it is good; throws with the end of the log when the container ends or 3 minutes are over. */
  untilGood(kind: 'startup' | 'readiness' | 'liveness'): Promise<void>;
  /** Signals the first process of the container, as a kubelet does. */
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<PodEnd>;
  /** Whether it has not ended. */
  isRunning(): boolean;
}

const START_LIMIT_MS = 180_000;

/**
 * Runs the container of a plan as a kubelet would: as the first process of a process namespace of its own, as the plan's user with
 * the plan's rights, in a file system that holds the image in `/app`, Node and the system's libraries, all of it read-only where
 * the plan says so. Only the network is this machine's: `ports` says which of its ports stand for the container's, and
 * `HTTP_PORT` and `ADMIN_PORT` are set to them. It ends with this process.
 */
export function startPod(options: {
  readonly name: string;
  readonly plan: PodPlan;
  /** The folder that the image has in `/app`. */
  readonly app: string;
  readonly ports: Readonly<Record<string, number>>;
  /** Gets the log and the mount points. */
  readonly directory: string;
  /** In place of the plan's command. */
  readonly command?: readonly string[];
}): Pod {
  const { name, plan, directory } = options;
  const root = path.join(directory, `${name}.root`);
  const logFile = path.join(directory, `${name}.log`);
  const script = path.join(directory, `${name}.sh`);
  mkdirSync(root, { recursive: true });
  writeFileSync(script, mountScript({ root, app: options.app, plan }));

  const env = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    ...plan.env,
    ...(options.ports['http'] !== undefined && { HTTP_PORT: String(options.ports['http']) }),
    ...(options.ports['admin'] !== undefined && { ADMIN_PORT: String(options.ports['admin']) }),
  };
  const log = openSync(logFile, 'a');
  const child = spawn(
    'setpriv',
    [
      ...['--pdeathsig=KILL', 'unshare', '--mount', '--pid', '--fork', '--kill-child'],
      ...['sh', script, ...(options.command ?? plan.command)],
    ],
    { cwd: '/', env, stdio: ['ignore', log, log] },
  );
  closeSync(log);
  let isRunning = true;
  const ended = endOf(child).finally(() => {
    isRunning = false;
  });

  const port = (portName: string) => {
    const found = options.ports[portName];
    if (found === undefined) throw new Error(`${name} has no port ${portName}`);
    return found;
  };
  async function ask({ httpGet, timeoutSeconds }: Probe): Promise<boolean> {
    const portName =
      typeof httpGet.port === 'string'
        ? httpGet.port
        : Object.entries(plan.ports).find(([, number]) => number === httpGet.port)?.[0];
    try {
      const answer = await fetch(`http://127.0.0.1:${port(portName ?? '')}${httpGet.path}`, {
        headers: { connection: 'close' },
        signal: AbortSignal.timeout(timeoutSeconds * 1_000),
      });
      await answer.arrayBuffer();
      return answer.status >= 200 && answer.status < 400;
    } catch {
      return false;
    }
  }
  return {
    name,
    plan,
    logFile,
    port,
    ask,
    async untilGood(kind) {
      const probe = plan.probes[kind];
      if (probe === undefined) throw new Error(`${name} has no ${kind} probe`);
      await eventually(
        () => `${name} passes its ${kind} probe; ${endOfLog(logFile)}`,
        async () => {
          if (await ask(probe)) return true;
          if (!isRunning) throw new Error(`${name} has ended; ${endOfLog(logFile)}`);
          return false;
        },
        { timeoutMs: START_LIMIT_MS, everyMs: 50 },
      );
    },
    signal(signal) {
      const inside = child.pid === undefined || !isRunning ? undefined : firstChildOf(child.pid);
      if (inside !== undefined) process.kill(inside, signal);
    },
    ended,
    isRunning: () => isRunning,
  };
}

async function endOf(child: ChildProcess): Promise<PodEnd> {
  await once(child, 'exit');
  return { exitCode: child.exitCode, signal: child.signalCode };
}

/** The first process of the namespace: the only child of the program that has made it. */
function firstChildOf(pid: number): number | undefined {
  const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  return first === undefined || first === '' ? undefined : Number(first);
}

/** A shell script that makes the container's file system and becomes the program that its arguments name. */
function mountScript(given: { readonly root: string; readonly app: string; readonly plan: PodPlan }): string {
  const { root, app, plan } = given;
  const at = (place: string) => quote(path.join(root, place));
  const lines = ['set -e', `mount --bind ${quote(root)} ${quote(root)}`];
  const bind = (from: string, to: string, isFile = false) => {
    mkdirSync(path.join(root, isFile ? path.dirname(to) : to), { recursive: true });
    if (isFile) writeFileSync(path.join(root, to), '');
    lines.push(`mount --bind --options ro ${quote(from)} ${at(to)}`);
  };
  // Libraries: where the system has links into /usr the container has them, too.
  for (const place of ['/usr', '/etc', '/bin', '/lib', '/lib64', '/sbin']) {
    if (!existsSync(place)) continue;
    if (lstatSync(place).isSymbolicLink()) symlinkSync(readlinkSync(place), path.join(root, place));
    else bind(place, place);
  }
  bind(process.execPath, '/nodejs/bin/node', true);
  bind(app, '/app');
  mkdirSync(path.join(root, 'proc'), { recursive: true });
  mkdirSync(path.join(root, 'dev'), { recursive: true });
  lines.push(`mount -t proc proc ${at('proc')}`, `mount --rbind /dev ${at('dev')}`);
  for (const { at: place, hostPath } of plan.mounts) {
    if (hostPath !== undefined) {
      bind(hostPath, place, !lstatSync(hostPath).isDirectory());
      continue;
    }
    mkdirSync(path.join(root, place), { recursive: true });
    lines.push(`mount -t tmpfs --options mode=0777 tmpfs ${at(place)}`);
  }
  if (plan.readOnlyRoot) lines.push(`mount --options remount,bind,ro ${quote(root)}`);
  const rights = [
    // Together with the user: a new one unties it.
    '--pdeathsig=KILL',
    `--reuid=${plan.uid}`,
    `--regid=${plan.gid}`,
    '--clear-groups',
    ...(plan.dropsAllCapabilities ? ['--bounding-set=-all', '--inh-caps=-all'] : []),
    ...(plan.noNewPrivileges ? ['--no-new-privs'] : []),
  ];
  const setpriv = findProgram('setpriv', ['/usr/bin']) ?? 'setpriv';
  lines.push(
    `exec chroot ${quote(root)} /bin/sh -c 'cd "$0" && exec "$@"' ${quote(plan.workdir)} ${setpriv} ${rights.join(' ')} -- "$@"`,
  );
  return `${lines.join('\n')}\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
