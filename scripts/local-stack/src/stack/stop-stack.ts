import { rmSync } from 'node:fs';
import path from 'node:path';
import { postgresDataDirectory } from '@partner/test-kit/backing-services/postgres';
import { isProcessRunning, processesWithVariable } from '@partner/test-kit/backing-services/process-identity';
import { createDockerServices } from '../backing-services/docker-engine.js';
import { removeExternalResources } from '../backing-services/external-servers.js';
import { serviceOf } from './services.js';
import { hasEndedWithin } from './stack-lock.js';
import { endProcess, STACK_VARIABLE } from './stack-process.js';
import { readStackState, stackFiles } from './stack-state.js';

const STAGES = ['edge', 'job-state', 'backing-services', 'port-mapper'] as const;

/** Entry points end first, then the workers, then the stores. */
function stageOf(name: string): (typeof STAGES)[number] {
  if (name === 'rabbitmq-port-mapper') return 'port-mapper';
  if (name === 'postgres' || name === 'rabbitmq' || name === 'redis') return 'backing-services';
  return serviceOf(name) === 'job-state' ? 'job-state' : 'edge';
}

/**
 * Ends all processes of the stack in the directory, no matter which process has started them, and removes `stack.json`.
 * Keeps the data. Resolves to whether anything ran.
 */
export async function stopStack(directory: string): Promise<boolean> {
  const files = stackFiles(directory);
  rmSync(files.description, { force: true });
  const state = readStackState(directory);
  const records = Object.entries(state?.processes ?? {});
  const hadAny = records.some(([, record]) => isProcessRunning(record));
  for (const stage of STAGES) {
    const members = records.filter(([name]) => stageOf(name) === stage);
    await Promise.all(members.map(([, record]) => endProcess(record)));
  }

  const strays = processesWithVariable(STACK_VARIABLE, directory);
  for (const { pid } of strays) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
  await Promise.all(strays.map((stray) => hasEndedWithin(stray, 10_000)));

  const usesDocker = Object.values(state?.plan.backingServices ?? {}).some(({ kind }) => kind === 'docker');
  if (usesDocker) await createDockerServices(directory).stop({ withData: false });
  rmSync(files.state, { force: true });
  return hadAny || strays.length > 0 || usesDocker;
}

/** The files of a stack in its directory, except its keys. */
const OWN_ENTRIES = [
  ...['postgres', 'rabbitmq', 'redis', 'receiver', 'mail', 'logs'],
  ...['state.json', 'stack.json', 'external-resources.json', 'cookies'],
];

/**
 * Removes the data of a stack that does not run, also what it has created on given servers. Keeps its keys, since a
 * database that the stack did not create stays too, with data that they have sealed.
 */
export async function removeStackData(directory: string): Promise<void> {
  await removeExternalResources(directory);
  rmSync(await postgresDataDirectory(path.join(directory, 'postgres')), { recursive: true, force: true });
  for (const entry of OWN_ENTRIES) {
    rmSync(path.join(directory, entry), { recursive: true, force: true });
  }
}
