import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { baseEnvironment, type LocalProgram } from '@partner/test-kit/backing-services/local-process';
import { postgresProgram, postgresUrl } from '@partner/test-kit/backing-services/postgres';
import {
  acceptsConnections,
  rabbitmqPrograms,
  rabbitmqUrl,
} from '@partner/test-kit/backing-services/rabbitmq';
import { redisProgram, redisUrl } from '@partner/test-kit/backing-services/redis';
import { sendCall } from '@partner/test-kit/http-call';
import type { BackingService, BackingServiceSource } from '../backing-services/backing-service.js';
import type { CertificateFiles } from '../receiver/certificates.js';
import { httpStatus } from '../receiver/http-status.js';
import { CONTROL_PATHS } from '../receiver/receiver.js';
import { RECEIVER_HOST } from './receiver-hosts.js';
import { PROJECT_ROOT } from '../project-root.js';
import { INGRESS_PATHS, type ServiceName, serviceOf } from './services.js';
import { stackFiles, type StackPlan } from './stack-state.js';

interface ProgramSurroundings {
  readonly directory: string;
  readonly plan: StackPlan;
}

export async function backingServicePrograms({
  directory,
  plan,
}: ProgramSurroundings): Promise<LocalProgram[]> {
  const logDirectory = stackFiles(directory).logs;
  const { postgres, rabbitmq, redis } = plan.backingServices;
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

export function backingServiceUrl(part: BackingService, source: BackingServiceSource): string {
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

function nodeProgram(
  { directory }: Pick<ProgramSurroundings, 'directory'>,
  program: Pick<LocalProgram, 'name' | 'args' | 'env' | 'isUp'>,
): LocalProgram {
  return {
    ...program,
    command: process.execPath,
    cwd: PROJECT_ROOT,
    logFile: path.join(stackFiles(directory).logs, `${program.name}.log`),
    startTimeoutMs: 180_000,
    stopSignal: 'SIGTERM',
    stopGraceMs: 12_000,
  };
}

type WithSettings = Pick<ProgramSurroundings, 'directory'> & {
  readonly settings: Readonly<Record<string, string>>;
};

export function serviceProgram(surroundings: WithSettings, name: string, service: ServiceName): LocalProgram {
  const main = path.join(PROJECT_ROOT, 'services', service, 'dist/main.js');
  return programOfService(surroundings, name, ['--import', '@partner/kernel/telemetry/start', main]);
}

export function simulatorProgram(surroundings: WithSettings): LocalProgram {
  const main = path.join(PROJECT_ROOT, 'services/job-state/dist/simulate-sandbox.js');
  return programOfService(surroundings, 'simulator', [main]);
}

function programOfService(surroundings: WithSettings, name: string, args: readonly string[]): LocalProgram {
  const { settings } = surroundings;
  return nodeProgram(surroundings, {
    name,
    args: ['--enable-source-maps', ...args],
    env: { ...serviceBaseEnvironment(), ...settings },
    isUp: () => respondsOk(`http://127.0.0.1:${settings['ADMIN_PORT'] ?? ''}/readyz`),
  });
}

export function serviceBaseEnvironment(): Record<string, string> {
  const passed = Object.entries(process.env).flatMap(([name, value]): [string, string][] =>
    value !== undefined && (name === 'NODE_EXTRA_CA_CERTS' || name.startsWith('OTEL_'))
      ? [[name, value]]
      : [],
  );
  return { ...baseEnvironment(), ...Object.fromEntries(passed) };
}

export function proxyProgram(
  surroundings: ProgramSurroundings,
  { certificateFile, keyFile }: CertificateFiles,
): LocalProgram {
  const { plan } = surroundings;
  const routes = Object.entries(INGRESS_PATHS).flatMap(([service, prefixes]) => {
    const targets = Object.entries(plan.services).flatMap(([name, { httpPort }]) =>
      serviceOf(name) === service && httpPort !== undefined ? [`http://127.0.0.1:${httpPort}`] : [],
    );
    return targets.length === 0 ? [] : prefixes.map((prefix) => ({ prefix, targets }));
  });
  const main = path.join(PROJECT_ROOT, 'scripts/local-stack/dist/proxy/main.js');
  return nodeProgram(surroundings, {
    name: 'proxy',
    args: [
      ...[main, '--port', String(plan.ports.proxy), '--routes', JSON.stringify(routes)],
      ...['--tls-port', String(plan.ports.tls), '--certificate', certificateFile, '--key', keyFile],
    ],
    env: baseEnvironment(),
    // Any response: a stack without the console has nothing at `/`.
    isUp: () => respondsOk(`http://127.0.0.1:${plan.ports.proxy}/`).then(() => true),
  });
}

export function receiverFiles(directory: string) {
  const { receiver } = stackFiles(directory);
  return {
    log: path.join(receiver, 'requests.jsonl'),
    secrets: path.join(receiver, 'secrets.json'),
  } as const;
}

export function receiverProgram(
  surroundings: ProgramSurroundings,
  { caFile }: CertificateFiles,
): LocalProgram {
  const { directory, plan } = surroundings;
  const files = receiverFiles(directory);
  return nodeProgram(surroundings, {
    name: 'receiver',
    args: [
      path.join(PROJECT_ROOT, 'scripts/local-stack/dist/receiver/main.js'),
      ...['--port', String(plan.ports.receiver)],
      ...['--host-name', RECEIVER_HOST, '--certificates', stackFiles(directory).receiver],
      ...['--log', files.log, '--secrets', files.secrets],
    ],
    env: baseEnvironment(),
    isUp: async () => {
      const url = `https://127.0.0.1:${plan.ports.receiver}${CONTROL_PATHS.health}`;
      return (
        existsSync(caFile) && (await httpStatus(url, { ca: readFileSync(caFile), timeout: 2_000 })) === 200
      );
    },
  });
}

export function mailPrograms(surroundings: ProgramSurroundings): readonly LocalProgram[] {
  const { mail: port } = surroundings.plan.ports;
  if (port === undefined) return [];
  const main = path.join(PROJECT_ROOT, 'scripts/local-stack/dist/mail/main.js');
  const program = nodeProgram(surroundings, {
    name: 'mail',
    args: [main, '--port', String(port), '--directory', stackFiles(surroundings.directory).mail],
    env: baseEnvironment(),
    isUp: () => acceptsConnections(port),
  });
  return [program];
}

/** Returns whether a URL responds with 200. Rejects without a response within 2 s. */
export async function respondsOk(url: string): Promise<boolean> {
  return (await sendCall(url, '', { signal: AbortSignal.timeout(2_000) })).status === 200;
}
