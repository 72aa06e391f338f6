import { request } from 'node:https';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { baseEnvironment, type LocalProgram } from '@partner/test-kit/backing-services/local-process';
import { postgresProgram, postgresUrl } from '@partner/test-kit/backing-services/postgres';
import { rabbitmqPrograms, rabbitmqUrl } from '@partner/test-kit/backing-services/rabbitmq';
import { redisProgram, redisUrl } from '@partner/test-kit/backing-services/redis';
import type { PartName, PartSource } from '../parts/part-source.js';
import type { CertificateFiles } from '../receiver/certificates.js';
import { CONTROL_PATHS } from '../receiver/receiver.js';
import { serviceOf } from './replicas.js';
import { RECEIVER_HOST } from './receiver-hosts.js';
import { INGRESS_PATHS, type ServiceName } from './services.js';
import { stackFiles, type StackPlan } from './stack-state.js';

/** What every program of a stack needs to know of its surroundings. */
interface ProgramSurroundings {
  /** The root of the project. */
  readonly root: string;
  /** The stack's directory. */
  readonly directory: string;
  readonly plan: StackPlan;
}

/** The private parts of a stack, those first that others wait for. */
export async function partPrograms({ directory, plan }: ProgramSurroundings): Promise<LocalProgram[]> {
  const logDirectory = stackFiles(directory).logs;
  const { postgres, rabbitmq, redis } = plan.parts;
  const programs: LocalProgram[] = [];
  if (rabbitmq.kind === 'private') {
    const { portMapper, server } = rabbitmqPrograms({
      directory: path.join(directory, 'rabbitmq'),
      logDirectory,
      port: rabbitmq.port,
      portMapperPort: rabbitmq.portMapperPort ?? 0,
      distributionPort: rabbitmq.distributionPort ?? 0,
    });
    programs.push(portMapper, server);
  }
  if (postgres.kind === 'private') {
    const place = { directory: path.join(directory, 'postgres'), logDirectory, port: postgres.port };
    programs.push(await postgresProgram({ ...place, durable: plan.durable }));
  }
  if (redis.kind === 'private') {
    programs.push(redisProgram({ directory: path.join(directory, 'redis'), logDirectory, port: redis.port }));
  }
  return programs;
}

/** The address that the services use for a part. */
export function partUrl(part: PartName, source: PartSource): string {
  if (source.kind !== 'private') return source.url;
  switch (part) {
    case 'postgres':
      return postgresUrl(source.port).replace(/\/postgres$/, '/partner');
    case 'rabbitmq':
      return rabbitmqUrl(source.port);
    case 'redis':
      return redisUrl(source.port);
  }
}

/** One replica of a service, on the ports of the plan. */
export function serviceProgram(
  surroundings: ProgramSurroundings & { readonly settings: Readonly<Record<string, string>> },
  name: string,
  service: ServiceName,
): LocalProgram {
  const { root, directory, settings } = surroundings;
  return {
    name,
    command: process.execPath,
    args: [
      '--enable-source-maps',
      '--import',
      '@partner/kernel/telemetry/start',
      path.join(root, 'services', service, 'dist', 'main.js'),
    ],
    env: { ...serviceBaseEnvironment(), ...settings },
    cwd: root,
    logFile: path.join(stackFiles(directory).logs, `${name}.log`),
    isUp: () => answers(`http://127.0.0.1:${settings['ADMIN_PORT'] ?? ''}/readyz`, 200),
    startTimeoutMs: 180_000,
    stopSignal: 'SIGTERM',
    stopGraceMs: 12_000,
  };
}

/** The simulator, which plays in the sandbox over the broker. */
export function simulatorProgram(
  surroundings: Pick<ProgramSurroundings, 'root' | 'directory'> & {
    readonly settings: Readonly<Record<string, string>>;
  },
): LocalProgram {
  const { root, directory, settings } = surroundings;
  return {
    name: 'simulator',
    command: process.execPath,
    args: ['--enable-source-maps', path.join(root, 'services/job-state/dist/simulate-sandbox.js')],
    env: { ...serviceBaseEnvironment(), ...settings },
    cwd: root,
    logFile: path.join(stackFiles(directory).logs, 'simulator.log'),
    isUp: () => answers(`http://127.0.0.1:${settings['ADMIN_PORT'] ?? ''}/readyz`, 200),
    startTimeoutMs: 180_000,
    stopSignal: 'SIGTERM',
    stopGraceMs: 12_000,
  };
}

/** What a service's process gets besides its settings. */
export function serviceBaseEnvironment(): Record<string, string> {
  const passed = Object.entries(process.env).flatMap(([name, value]): [string, string][] =>
    value !== undefined && (name === 'NODE_EXTRA_CA_CERTS' || name.startsWith('OTEL_'))
      ? [[name, value]]
      : [],
  );
  return { ...baseEnvironment(), ...Object.fromEntries(passed) };
}

/** The reverse proxy with the ingress's routes. */
export function proxyProgram({ root, directory, plan }: ProgramSurroundings): LocalProgram {
  const routes = Object.entries(INGRESS_PATHS).flatMap(([service, prefixes]) => {
    const targets = Object.entries(plan.services).flatMap(([name, { httpPort }]) =>
      serviceOf(name) === service && httpPort !== undefined ? [`http://127.0.0.1:${httpPort}`] : [],
    );
    return prefixes.map((prefix) => ({ prefix, targets }));
  });
  return {
    name: 'proxy',
    command: process.execPath,
    args: [
      path.join(root, 'scripts/local-stack/dist/proxy/main.js'),
      ...['--port', String(plan.ports.proxy), '--routes', JSON.stringify(routes)],
    ],
    env: baseEnvironment(),
    cwd: root,
    logFile: path.join(stackFiles(directory).logs, 'proxy.log'),
    isUp: () => answers(`http://127.0.0.1:${plan.ports.proxy}/`, 404),
    startTimeoutMs: 120_000,
    stopSignal: 'SIGTERM',
    stopGraceMs: 12_000,
  };
}

/** The files that the example receiver writes. */
export function receiverFiles(directory: string) {
  const { receiver } = stackFiles(directory);
  return {
    log: path.join(receiver, 'requests.jsonl'),
    secrets: path.join(receiver, 'secrets.json'),
  } as const;
}

/** The example receiver. */
export function receiverProgram(
  { root, directory, plan }: ProgramSurroundings,
  certificates: CertificateFiles,
): LocalProgram {
  const files = receiverFiles(directory);
  return {
    name: 'receiver',
    command: process.execPath,
    args: [
      path.join(root, 'scripts/local-stack/dist/receiver/main.js'),
      ...['--port', String(plan.ports.receiver)],
      ...['--host-name', RECEIVER_HOST, '--certificates', stackFiles(directory).receiver],
      ...['--log', files.log, '--secrets', files.secrets],
    ],
    env: baseEnvironment(),
    cwd: root,
    logFile: path.join(stackFiles(directory).logs, 'receiver.log'),
    isUp: () => isReceiverUp(plan.ports.receiver, certificates.caFile),
    startTimeoutMs: 120_000,
    stopSignal: 'SIGTERM',
    stopGraceMs: 12_000,
  };
}

async function answers(url: string, status: number): Promise<boolean> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  await answer.arrayBuffer();
  return answer.status === status;
}

async function isReceiverUp(port: number, caFile: string): Promise<boolean> {
  if (!existsSync(caFile)) return false;
  return new Promise((resolve) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path: CONTROL_PATHS.health,
        ca: readFileSync(caFile),
        timeout: 2_000,
        agent: false,
      },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      },
    );
    sent.once('timeout', () => sent.destroy());
    sent.once('error', () => resolve(false));
    sent.end();
  });
}
