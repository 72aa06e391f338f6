import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { freePort, type LocalProgram, takePort } from '@partner/test-kit/backing-services/local-process';
import { postgresUrl, withPostgres } from '@partner/test-kit/backing-services/postgres';
import { z } from 'zod';
import { createDockerParts } from '../parts/docker-engine.js';
import { findParts, type PartSources, privateSource } from '../parts/find-parts.js';
import { PART_TITLES } from '../parts/part-source.js';
import type { Progress } from '../progress.js';
import { type CertificateFiles, ensureCertificates } from '../receiver/certificates.js';
import { CONTROL_PATHS } from '../receiver/receiver.js';
import { lastLines, runCommand } from '../run-command.js';
import { rememberMadeElsewhere } from '../parts/made-elsewhere.js';
import { writePrivateJson } from '../private-file.js';
import { PROJECT_ROOT } from './project-root.js';
import { replicasOf, serviceOf } from './replicas.js';
import {
  INGRESS_PATHS,
  type ServiceName,
  serviceSettings,
  type ServiceSurroundings,
  simulatorSettings,
} from './services.js';
import { sandboxCompany, type SandboxCompany, type StackDescription } from './stack-description.js';
import { StackError } from '../stack-error.js';
import { thisProcess } from './stack-lock.js';
import { createStackProcess, type StackProcess } from './stack-process.js';
import {
  partPrograms,
  partUrl,
  proxyProgram,
  receiverFiles,
  receiverProgram,
  serviceBaseEnvironment,
  serviceProgram,
  simulatorProgram,
} from './stack-programs.js';
import { ensureStackSecrets } from './stack-secrets.js';
import {
  readStackState,
  stackFiles,
  type StackPlan,
  type StackState,
  writeStackState,
} from './stack-state.js';
import { removeStackData, stopStack } from './stop-stack.js';

/** The host name in the URLs of subscriptions to the example receiver. */
export const RECEIVER_HOST = 'receiver.partner.test';

/** The host name in the URLs of subscriptions to `partnerctl listen`; the example receiver's certificate is good for it. */
export const LISTENER_HOST = `listen.${RECEIVER_HOST}`;

const DEFAULT_PROXY_PORT = 8_080;
const REDIS_KEY_PREFIX = 'partner:';

/** How a stack is set up; what a stack that is there already was set up with stays as it is. */
export interface StackOptions {
  /** Where it keeps its files; made when missing. One directory holds one stack. */
  readonly directory: string;
  /**
   * Where Postgres, RabbitMQ and Redis come from. `found`: see `findParts`. `private`: instances of its own of installed
   * programs. `given`: exactly these, a database, vhost and Redis that are all the stack's own.
   */
  readonly parts:
    | { readonly kind: 'found'; readonly environment: Readonly<Record<string, string | undefined>> }
    | { readonly kind: 'private'; readonly durable?: boolean }
    | {
        readonly kind: 'given';
        readonly postgresUrl: string;
        readonly amqpUrl: string;
        readonly redisUrl: string;
      };
  /** The port of the base address; without it 8080, or a free one when that is taken. */
  readonly proxyPort?: number;
  /** Settings of a service on top of the stack's own, e.g. `{ 'job-state': { WEBHOOK_RETRY_BASE_MS: '200' } }`. */
  readonly settings?: Readonly<Partial<Record<ServiceName, Readonly<Record<string, string>>>>>;
  /** Replicas of a service; one without it. */
  readonly replicas?: Readonly<Partial<Record<ServiceName, number>>>;
  /** More host names that webhooks may go to, each with the address that it leads to, e.g. `127.0.0.1:9443`. */
  readonly devHosts?: Readonly<Record<string, string>>;
  /** How many moves a minute the platform and the installers make by themselves; none without it. */
  readonly simulate?: number;
  /** Seed of the simulator's choices; another one at each start without it. */
  readonly simulatorSeed?: string;
  /** Whether the processes outlive this one. */
  readonly detached?: boolean;
  /** Whether the stack belongs to this process, so that it is asked first when the stack is to end. */
  readonly owned?: boolean;
  readonly report?: Progress;
  /** Ends the start as soon as possible. */
  readonly signal?: AbortSignal;
}

/** A stack whose parts and services are all ready. */
export interface Stack {
  readonly directory: string;
  /** As of now: the process numbers change when a process is started again. */
  readonly description: StackDescription;
  /** In the order of their start. */
  readonly processes: readonly StackProcess[];
  /**
   * One of `postgres`, `rabbitmq`, `redis` (when they are private), the services (`job-state-2` is the second replica of
   * job-state), `proxy`, `receiver` and, where it simulates, `simulator`.
   */
  process(name: string): StackProcess;
  /** Ends everything that runs; the data stay. */
  stop(): Promise<void>;
  /** Ends everything that runs and removes the data and the directory: what a test does behind itself. */
  discard(): Promise<void>;
}

/**
 * Starts what of the stack in the directory does not run, and resolves once all of it is ready. Throws {@link StackError}
 * with a message for people; when nothing ran before, nothing runs after that either.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const directory = path.resolve(options.directory);
  const report = options.report ?? (() => undefined);
  const files = stackFiles(directory);
  mkdirSync(directory, { recursive: true });

  const before = readStackState(directory);
  if (before === undefined) rmSync(files.logs, { recursive: true, force: true });
  const plan = await withSimulator(
    before?.plan ?? (await makePlan({ ...options, directory, report })),
    options.simulate,
    options.simulatorSeed,
  );
  const state: StackState = {
    plan,
    owner: options.owned === true ? thisProcess() : (before?.owner ?? null),
    processes: before?.processes ?? {},
  };
  writeStackState(directory, state);

  try {
    return await startAll({ options, directory, report, plan, state, before: before?.plan });
  } catch (error) {
    if (before === undefined) await stopStack(directory);
    throw error;
  }
}

async function startAll(context: {
  readonly options: StackOptions;
  readonly directory: string;
  readonly report: Progress;
  readonly plan: StackPlan;
  readonly state: StackState;
  /** Undefined: the stack is new. */
  readonly before: StackPlan | undefined;
}): Promise<Stack> {
  const { options, directory, report, plan, state } = context;
  const files = stackFiles(directory);
  const programPlace = { root: PROJECT_ROOT, directory, plan };
  const processes: StackProcess[] = [];
  let describe: () => void = () => undefined;

  const records = {
    get: (name: string) => state.processes[name],
    set: (name: string, record: StackState['processes'][string]) => {
      state.processes[name] = record;
      writeStackState(directory, state);
      describe();
    },
  };
  function handle(program: LocalProgram): StackProcess {
    const made = createStackProcess({ directory, program, detached: options.detached ?? false, records });
    processes.push(made);
    return made;
  }
  const failure = new AbortController();
  const signal = AbortSignal.any([failure.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  async function bringUp(process: StackProcess, title?: string): Promise<void> {
    const ranBefore = process.pid !== undefined;
    await process.start(signal);
    await process.ready(signal);
    if (!ranBefore && title !== undefined) report(`${title} is ready`);
  }
  /** Resolves once all are up; with the first failure none is started any more, and none is left half way. */
  async function bringAllUp(starts: readonly Promise<void>[]): Promise<void> {
    try {
      await Promise.all(starts);
    } catch (error) {
      failure.abort(error);
      await Promise.allSettled(starts);
      throw error;
    }
  }

  if (Object.values(plan.parts).some((source) => source.kind === 'docker') && context.before !== undefined) {
    await restartContainers(plan, directory);
  }
  const parts = (await partPrograms(programPlace)).map(handle);
  const portMapper = parts.find(({ name }) => name === 'rabbitmq-port-mapper');
  if (portMapper !== undefined) await bringUp(portMapper);
  const certificates = await ensureCertificates(files.receiver, RECEIVER_HOST);
  const secrets = ensureStackSecrets(directory);
  const surroundings: Omit<ServiceSurroundings, 'replicas'> = {
    baseUrl: `http://127.0.0.1:${plan.ports.proxy}`,
    postgresUrl: partUrl('postgres', plan.parts.postgres),
    amqpUrl: partUrl('rabbitmq', plan.parts.rabbitmq),
    redisUrl: partUrl('redis', plan.parts.redis),
    redisKeyPrefix: plan.redisKeyPrefix,
    devHosts: plan.devHosts,
    devCaFile: certificates.caFile,
    ...secrets,
  };
  const settingsOf = (name: string, service: ServiceName) => {
    const planned = plan.services[name];
    const replicas = Object.keys(plan.services).filter((other) => serviceOf(other) === service).length;
    const ports = { admin: planned?.adminPort ?? 0, http: planned?.httpPort };
    return { ...serviceSettings(service, ports, { ...surroundings, replicas }), ...planned?.settings };
  };

  const companies: SandboxCompany[] = [];
  async function fillDatabase(): Promise<void> {
    if (plan.parts.postgres.kind === 'private') await makeDatabase(plan.parts.postgres.port);
    signal.throwIfAborted();
    const commandEnv = { ...serviceBaseEnvironment(), ...settingsOf('job-state', 'job-state') };
    await runJobStateCommand('migrate', commandEnv);
    // Its data are invented also where a test has services believe that they are in production.
    const seeded = await runJobStateCommand('seed-sandbox', {
      ...commandEnv,
      PARTNER_ENVIRONMENT: 'sandbox',
    });
    companies.push(...z.array(sandboxCompany).parse(JSON.parse(seeded)));
    report(`the database is migrated, the sandbox has ${companies.length} companies`);
  }
  const postgres = parts.filter(({ name }) => name === 'postgres');
  const bringPartUp = (part: StackProcess) => bringUp(part, titleOfPart(part.name, plan));
  await bringAllUp([
    ...parts.filter((part) => part !== portMapper && !postgres.includes(part)).map(bringPartUp),
    // The broker starts for as long as the database is filled.
    Promise.all(postgres.map(bringPartUp)).then(fillDatabase),
  ]);

  const services = Object.keys(plan.services).flatMap((name) => {
    const service = serviceOf(name);
    if (service === undefined) return [];
    return [handle(serviceProgram({ ...programPlace, settings: settingsOf(name, service) }, name, service))];
  });
  const receiver = handle(receiverProgram(programPlace, certificates));
  const proxy = handle(proxyProgram(programPlace));
  await bringAllUp([
    ...services.map((process) => bringUp(process, process.name)),
    bringUp(receiver, 'the example receiver'),
    bringUp(proxy, `the proxy on ${surroundings.baseUrl}`),
  ]);
  if (plan.simulator !== undefined) {
    const { movesPerMinute } = plan.simulator;
    const simulator = handle(
      simulatorProgram({ ...programPlace, settings: simulatorSettings(plan.simulator, surroundings) }),
    );
    const former = context.before?.simulator?.movesPerMinute;
    if (former !== undefined && former !== movesPerMinute) await simulator.stop();
    await bringUp(simulator, `the simulator, with ${movesPerMinute} moves a minute,`);
  }

  const currentDescription = () =>
    describeStack({ directory, plan, surroundings, companies, processes, certificates });
  describe = () => writePrivateJson(files.description, currentDescription());
  describe();
  return {
    directory,
    get description() {
      return currentDescription();
    },
    processes,
    process(name) {
      const found = processes.find((process) => process.name === name);
      if (found === undefined) throw new StackError(`the stack has no process ${name} of its own`);
      return found;
    },
    stop: async () => {
      await stopStack(directory);
    },
    discard: async () => {
      await stopStack(directory);
      await removeStackData(directory);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The plan with a simulator at the rate; one that is there already keeps its rate when none is given. */
async function withSimulator(
  plan: StackPlan,
  movesPerMinute: number | undefined,
  seed: string | undefined,
): Promise<StackPlan> {
  if (movesPerMinute === undefined) return plan;
  const adminPort = plan.simulator?.adminPort ?? (await freePort());
  return { ...plan, simulator: { adminPort, movesPerMinute, ...(seed !== undefined && { seed }) } };
}

async function makePlan(
  options: StackOptions & { readonly directory: string; readonly report: Progress },
): Promise<StackPlan> {
  const proxyPort = await choosePort(options.proxyPort, options.report);
  const parts = await chooseParts(options);
  const receiverPort = await freePort();
  const listenerPort = await freePort();
  const services: StackPlan['services'] = {};
  for (const { name, service } of replicasOf(options.replicas ?? {})) {
    services[name] = {
      adminPort: await freePort(),
      ...(INGRESS_PATHS[service] === undefined ? {} : { httpPort: await freePort() }),
      settings: { ...options.settings?.[service] },
    };
  }
  const devHosts = {
    [RECEIVER_HOST]: `127.0.0.1:${receiverPort}`,
    [LISTENER_HOST]: `127.0.0.1:${listenerPort}`,
    ...options.devHosts,
  };
  return {
    parts,
    durable: options.parts.kind !== 'private' || options.parts.durable !== false,
    redisKeyPrefix: REDIS_KEY_PREFIX,
    ports: { proxy: proxyPort, receiver: receiverPort, listener: listenerPort },
    services,
    devHosts: Object.entries(devHosts)
      .map(([host, address]) => `${host}=${address}`)
      .join(','),
  };
}

async function choosePort(wanted: number | undefined, report: Progress): Promise<number> {
  if (wanted === 0) return freePort();
  if (await takePort(wanted ?? DEFAULT_PROXY_PORT)) return wanted ?? DEFAULT_PROXY_PORT;
  if (wanted !== undefined) {
    throw new StackError(`port ${wanted} is taken or not allowed; choose another one with --port`);
  }
  report(`port ${DEFAULT_PROXY_PORT} is taken; the base address gets another one`);
  return freePort();
}

async function chooseParts(
  options: StackOptions & { readonly directory: string; readonly report: Progress },
): Promise<PartSources> {
  const { parts } = options;
  switch (parts.kind) {
    case 'found':
      return findParts({
        environment: parts.environment,
        redisKeyPrefix: REDIS_KEY_PREFIX,
        docker: createDockerParts({ root: PROJECT_ROOT, directory: options.directory }),
        remember: (made) => rememberMadeElsewhere(options.directory, made),
        report: options.report,
      });
    case 'private':
      return {
        postgres: await privateSource('postgres'),
        rabbitmq: await privateSource('rabbitmq'),
        redis: await privateSource('redis'),
      };
    case 'given': {
      const given = (url: string) => ({ kind: 'given', url }) as const;
      return {
        postgres: given(parts.postgresUrl),
        rabbitmq: given(parts.amqpUrl),
        redis: given(parts.redisUrl),
      };
    }
  }
}

async function restartContainers(plan: StackPlan, directory: string): Promise<void> {
  const ports = Object.fromEntries(
    Object.entries(plan.parts).flatMap(([part, source]) =>
      source.kind === 'docker' ? [[part, source.port] as const] : [],
    ),
  );
  await createDockerParts({ root: PROJECT_ROOT, directory }).start(ports);
}

function titleOfPart(name: string, plan: StackPlan): string {
  const [part] = Object.entries(PART_TITLES).filter(([key]) => key === name);
  const source =
    name === 'postgres' || name === 'rabbitmq' || name === 'redis' ? plan.parts[name] : undefined;
  return `${part?.[1] ?? name} on port ${source?.kind === 'private' ? source.port : '?'}`;
}

async function makeDatabase(port: number): Promise<void> {
  await withPostgres(postgresUrl(port), async (client) => {
    const found = await client.query(`select 1 from pg_database where datname = 'partner'`);
    if (found.rowCount === 0) await client.query('create database partner');
  });
}

async function runJobStateCommand(
  command: 'migrate' | 'seed-sandbox',
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const file = path.join(PROJECT_ROOT, 'services/job-state/dist', `${command}.js`);
  if (!existsSync(file)) throw new StackError(`${file} is missing; build with: npm run build`);
  const result = await runCommand(process.execPath, ['--enable-source-maps', file], {
    cwd: PROJECT_ROOT,
    env,
  });
  if (result.exitCode !== 0) throw new StackError(`job-state's ${command} failed:\n${lastLines(result)}`);
  return result.stdout;
}

function describeStack(context: {
  readonly directory: string;
  readonly plan: StackPlan;
  readonly surroundings: Omit<ServiceSurroundings, 'replicas'>;
  readonly companies: SandboxCompany[];
  readonly processes: readonly StackProcess[];
  readonly certificates: CertificateFiles;
}): StackDescription {
  const { plan, surroundings } = context;
  const services: StackDescription['services'] = {};
  for (const [name, { adminPort, httpPort }] of Object.entries(plan.services)) {
    services[name] = {
      ...(httpPort === undefined ? {} : { url: `http://127.0.0.1:${httpPort}` }),
      adminUrl: `http://127.0.0.1:${adminPort}`,
      pid: context.processes.find((process) => process.name === name)?.pid ?? 0,
    };
  }
  return {
    baseUrl: surroundings.baseUrl,
    environment: 'sandbox',
    amqpUrl: surroundings.amqpUrl,
    postgresUrl: surroundings.postgresUrl,
    redisUrl: surroundings.redisUrl,
    services,
    companies: context.companies,
    receiver: {
      url: `https://${RECEIVER_HOST}`,
      caFile: context.certificates.caFile,
      logFile: receiverFiles(context.directory).log,
      controlUrl: `https://127.0.0.1:${plan.ports.receiver}${CONTROL_PATHS.secrets}`,
    },
    ...(plan.ports.listener !== undefined && {
      listener: {
        url: `https://${LISTENER_HOST}`,
        port: plan.ports.listener,
        certificateFile: context.certificates.certificateFile,
        keyFile: context.certificates.keyFile,
      },
    }),
  };
}
