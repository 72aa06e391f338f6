import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { endOfLog, freePort } from '@partner/test-kit/backing-services/local-process';
import { eventually } from '@partner/test-kit/eventually';
import type { ContainerPlan } from './container-plan.js';
import type { Engine } from './engine.js';

export interface Container {
  readonly name: string;
  readonly plan: ContainerPlan;
  readonly logFile: string;
  /** The port of this machine on which the container listens for one of its named ports, e.g. `admin`. */
  port(name: string): number;
  /** Sends one probe and returns whether it passes. */
  passes(kind: keyof ContainerPlan['probes']): Promise<boolean>;
  /** Repeats a probe until it passes. Throws with the end of the log if the container ends first. */
  untilPasses(kind: keyof ContainerPlan['probes']): Promise<void>;
  signal(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Resolves to the exit code; 128 and the number of the signal if one ended it. */
  readonly ended: Promise<number>;
}

const START_LIMIT_MS = 180_000;

/**
 * Runs a container of an image as its plan says, on the network of this machine: each named port is a free one, which its
 * variable names, e.g. `ADMIN_PORT`.
 */
export async function startContainer(
  engine: Engine,
  options: {
    readonly name: string;
    readonly image: string;
    readonly plan: ContainerPlan;
    readonly directory: string;
  },
): Promise<Container> {
  const { name, image, plan, directory } = options;
  const ports = new Map<string, number>();
  const env: Record<string, string> = { ...plan.env };
  for (const port of plan.ports) {
    const number = await freePort();
    ports.set(port, number);
    env[`${port.toUpperCase()}_PORT`] = String(number);
  }

  const logFile = path.join(directory, `${name}.log`);
  const log = openSync(logFile, 'a');
  const child = spawn(
    engine.client,
    [
      ...['run', '--rm', '--name', name, '--network', 'host', ...plan.options],
      ...Object.entries(env).flatMap(([variable, value]) => ['--env', `${variable}=${value}`]),
      ...[image, ...plan.args],
    ],
    { env: engine.env, stdio: ['ignore', log, log] },
  );
  closeSync(log);
  let isRunning = true;
  const ended = once(child, 'exit').then(() => {
    isRunning = false;
    return child.exitCode ?? -1;
  });

  const port = (portName: string) => {
    const found = ports.get(portName);
    if (found === undefined) throw new Error(`${name} has no port ${portName}`);
    return found;
  };
  const passes: Container['passes'] = async (kind) => {
    const probe = plan.probes[kind];
    if (probe === undefined) throw new Error(`${name} has no ${kind} probe`);
    const { httpGet, timeoutSeconds = 1 } = probe;
    try {
      const response = await fetch(`http://127.0.0.1:${port(String(httpGet?.port))}${httpGet?.path}`, {
        headers: { connection: 'close' },
        signal: AbortSignal.timeout(timeoutSeconds * 1_000),
      });
      await response.arrayBuffer();
      return response.ok;
    } catch {
      return false;
    }
  };
  return {
    name,
    plan,
    logFile,
    port,
    passes,
    async untilPasses(kind) {
      await eventually(
        () => `${name} passes its ${kind} probe; ${endOfLog(logFile)}`,
        async () => {
          if (await passes(kind)) return true;
          if (!isRunning) throw new Error(`${name} has ended; ${endOfLog(logFile)}`);
          return false;
        },
        { timeoutMs: START_LIMIT_MS, everyMs: 50 },
      );
    },
    async signal(signal) {
      if (isRunning) await engine.docker(['kill', '--signal', signal, name]);
    },
    ended,
  };
}
