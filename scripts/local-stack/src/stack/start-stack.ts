import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { LocalProgram } from '@partner/test-kit/backing-services/local-process';
import { postgresUrl } from '@partner/test-kit/backing-services/postgres';
import { createDockerServices } from '../backing-services/docker-engine.js';
import { BACKING_SERVICES, BACKING_SERVICE_TITLES } from '../backing-services/backing-service.js';
import { createOwnDatabase } from '../backing-services/external-servers.js';
import type { Progress } from '../terminal.js';
import { ensureCertificates } from '../receiver/certificates.js';
import { writePrivateJson } from '../private-file.js';
import { StackError } from '../stack-error.js';
import { describeStack } from './describe-stack.js';
import { migrateAndSeed } from './fill-database.js';
import { RECEIVER_HOST } from './receiver-hosts.js';
import { serviceOf, type ServiceName, serviceSettings, simulatorSettings } from './services.js';
import type { SandboxCompany, StackDescription } from './stack-description.js';
import { thisProcess } from './stack-lock.js';
import { makePlan, type PreparedOptions, type StackOptions, withSimulator } from './stack-plan.js';
import { createStackProcess, type StackProcess } from './stack-process.js';
import {
  backingServicePrograms,
  backingServiceUrl,
  mailPrograms,
  proxyProgram,
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

export interface Stack {
  readonly directory: string;
  /** The current description: process numbers change when a process is started again. */
  readonly description: StackDescription;
  readonly processes: readonly StackProcess[];
  /**
   * One of `postgres`, `rabbitmq`, `redis` (when they are private), the services (`job-state-2` is the second replica of
   * job-state), `proxy`, `receiver`, `mail` and, where it simulates, `simulator`.
   */
  process(name: string): StackProcess;
  stop(): Promise<void>;
  discard(): Promise<void>;
}

/**
 * Starts the missing processes of the stack in the directory, and resolves once all are ready. Throws {@link StackError}
 * with a message for the user; then, if nothing ran before, nothing runs afterwards.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const directory = path.resolve(options.directory);
  const prepared = { ...options, directory, report: options.report ?? (() => undefined) };
  const files = stackFiles(directory);
  mkdirSync(directory, { recursive: true });

  const before = readStackState(directory);
  if (before === undefined) rmSync(files.logs, { recursive: true, force: true });
  const state: StackState = {
    plan: await withSimulator(before?.plan ?? (await makePlan(prepared)), options.simulate),
    owner: options.owned === true ? thisProcess() : (before?.owner ?? null),
    processes: before?.processes ?? {},
  };
  writeStackState(directory, state);

  try {
    return await startAll(prepared, state, before?.plan);
  } catch (error) {
    if (before === undefined) await stopStack(directory);
    throw error;
  }
}

function createStarts(ended: AbortSignal | undefined, report: Progress) {
  const failure = new AbortController();
  const signal = AbortSignal.any([failure.signal, ...(ended === undefined ? [] : [ended])]);
  return {
    signal,
    async bringUp(process: StackProcess, title?: string): Promise<void> {
      const ranBefore = process.pid !== undefined;
      await process.start(signal);
      await process.ready(signal);
      if (!ranBefore && title !== undefined) report(`${title} is ready`);
    },
    /** Resolves once all are ready. After the first failure it starts no other, and leaves none half started. */
    async bringAllUp(starts: readonly Promise<void>[]): Promise<void> {
      try {
        await Promise.all(starts);
      } catch (error) {
        failure.abort(error);
        await Promise.allSettled(starts);
        throw error;
      }
    },
  };
}

async function startAll(options: PreparedOptions, state: StackState, before?: StackPlan): Promise<Stack> {
  const { directory, report } = options;
  const { plan } = state;
  const files = stackFiles(directory);
  const programPlace = { directory, plan };
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
  const createProcess = (program: LocalProgram) =>
    createStackProcess({ directory, program, detached: options.detached ?? false, records });
  function handle(program: LocalProgram): StackProcess {
    const made = createProcess(program);
    processes.push(made);
    return made;
  }
  const { signal, bringUp, bringAllUp } = createStarts(options.signal, report);

  const { backingServices: sources } = plan;
  if (before !== undefined) await restartContainers(plan, directory);
  const backingServices = (await backingServicePrograms(programPlace)).map(handle);
  const portMapper = backingServices.find(({ name }) => name === 'rabbitmq-port-mapper');
  if (portMapper !== undefined) await bringUp(portMapper);
  const certificates = await ensureCertificates(files.receiver, RECEIVER_HOST);
  const surroundings = { ...urlsOf(plan), devCaFile: certificates.caFile, ...ensureStackSecrets(directory) };
  const settingsOf = (name: string, service: ServiceName) => {
    const planned = plan.services[name];
    const replicas = Object.keys(plan.services).filter((other) => serviceOf(other) === service).length;
    const ports = { admin: planned?.adminPort ?? 0, http: planned?.httpPort };
    return { ...serviceSettings(service, ports, { ...surroundings, replicas }), ...planned?.settings };
  };

  const companies: SandboxCompany[] = [];
  async function fillDatabase(): Promise<void> {
    if (sources.postgres.kind === 'private') await createOwnDatabase(postgresUrl(sources.postgres.port));
    signal.throwIfAborted();
    const commandEnv = { ...serviceBaseEnvironment(), ...settingsOf('job-state', 'job-state') };
    const { backingServices: given } = options;
    const seeded = given.kind === 'given' ? given.companies : undefined;
    companies.push(...(seeded ?? (await migrateAndSeed(commandEnv))));
    report(`the database is migrated, the sandbox has ${companies.length} companies`);
  }
  const postgres = backingServices.filter(({ name }) => name === 'postgres');
  const bringServiceUp = (part: StackProcess) => bringUp(part, titleOf(part.name, plan));
  await bringAllUp([
    ...backingServices.filter((part) => part !== portMapper && !postgres.includes(part)).map(bringServiceUp),
    // The broker starts while the database is filled.
    Promise.all(postgres.map(bringServiceUp)).then(fillDatabase),
  ]);

  const services = Object.keys(plan.services).flatMap((name) => {
    const service = serviceOf(name);
    if (service === undefined) return [];
    return [handle(serviceProgram({ ...programPlace, settings: settingsOf(name, service) }, name, service))];
  });
  const receiver = handle(receiverProgram(programPlace, certificates));
  const proxy = handle(proxyProgram(programPlace, certificates));
  await bringAllUp([
    ...services.map((process) => bringUp(process, process.name)),
    bringUp(receiver, 'the example receiver'),
    ...mailPrograms(programPlace).map((program) => bringUp(handle(program), 'the mail sink')),
    bringUp(proxy, `the proxy on ${surroundings.baseUrl}`),
  ]);
  const simulatorOf = (planned: NonNullable<StackPlan['simulator']>) =>
    simulatorProgram({ ...programPlace, settings: simulatorSettings(planned, surroundings) });
  const former = before?.simulator;
  if (former !== undefined && former.movesPerMinute !== plan.simulator?.movesPerMinute) {
    await createProcess(simulatorOf(former)).stop();
    delete state.processes['simulator'];
    writeStackState(directory, state);
  }
  if (plan.simulator !== undefined) {
    const title = `the simulator, with ${plan.simulator.movesPerMinute} moves a minute,`;
    await bringUp(handle(simulatorOf(plan.simulator)), title);
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
      if (found === undefined) throw new StackError(`the stack has no process ${name}`);
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

function urlsOf({ ports, backingServices, redisKeyPrefix, devHosts }: StackPlan) {
  return {
    baseUrl: `http://127.0.0.1:${ports.proxy}`,
    postgresUrl: backingServiceUrl('postgres', backingServices.postgres),
    amqpUrl: backingServiceUrl('rabbitmq', backingServices.rabbitmq),
    redisUrl: backingServiceUrl('redis', backingServices.redis),
    redisKeyPrefix,
    devHosts,
    ...(ports.mail !== undefined && {
      mail: { SMTP_URL: `smtp://127.0.0.1:${ports.mail}`, MAIL_FROM: 'partner-api@service.example' },
    }),
  };
}

async function restartContainers(plan: StackPlan, directory: string): Promise<void> {
  const ports = Object.fromEntries(
    Object.entries(plan.backingServices).flatMap(([part, source]) =>
      source.kind === 'docker' ? [[part, source.port] as const] : [],
    ),
  );
  if (Object.keys(ports).length > 0) await createDockerServices(directory).start(ports);
}

function titleOf(name: string, plan: StackPlan): string {
  const service = BACKING_SERVICES.find((each) => each === name);
  if (service === undefined) return name;
  const source = plan.backingServices[service];
  return `${BACKING_SERVICE_TITLES[service]} on port ${source.kind === 'private' ? source.port : '?'}`;
}
