import { isProcessRunning } from '@partner/test-kit/backing-services/process-identity';
import { readJson } from '../private-file.js';
import { stackDescription, type StackDescription } from './stack-description.js';
import { respondsOk } from './stack-programs.js';
import { readStackState, stackFiles } from './stack-state.js';

interface ProcessStatus {
  readonly name: string;
  readonly pid: number;
  /** `running`: its readiness is unknown or not reached. */
  readonly state: 'ready' | 'running' | 'ended';
  readonly address: string;
}

export interface StackStatus {
  readonly processes: readonly ProcessStatus[];
  /** All its processes but the simulator run, and each service reports that it is ready. */
  readonly isReady: boolean;
  readonly description: StackDescription | undefined;
}

export async function inspectStack(directory: string): Promise<StackStatus> {
  const state = readStackState(directory);
  const description = readJson(stackFiles(directory).description, stackDescription);
  const services = state?.plan.services ?? {};
  const simulator = state?.plan.simulator;
  const backingServices = Object.entries(state?.plan.backingServices ?? {});
  const ports: Readonly<Record<string, number | undefined>> = {
    ...Object.fromEntries(
      backingServices.map(([name, source]) => [name, source.kind === 'private' ? source.port : undefined]),
    ),
    ...Object.fromEntries(
      Object.entries(services).map(([name, { httpPort, adminPort }]) => [name, httpPort ?? adminPort]),
    ),
    ...state?.plan.ports,
    simulator: simulator?.adminPort,
  };
  const processes = await Promise.all(
    Object.entries(state?.processes ?? {}).map(async ([name, record]): Promise<ProcessStatus> => {
      const adminPort = name === 'simulator' ? simulator?.adminPort : services[name]?.adminPort;
      const isRunning = isProcessRunning(record);
      const isReady =
        isRunning &&
        (adminPort === undefined ||
          (await respondsOk(`http://127.0.0.1:${adminPort}/readyz`).catch(() => false)));
      const port = ports[name];
      return {
        name,
        pid: record.pid,
        state: isReady ? 'ready' : isRunning ? 'running' : 'ended',
        address: port === undefined ? '' : `127.0.0.1:${port}`,
      };
    }),
  );
  return {
    processes,
    isReady:
      description !== undefined &&
      processes.every(({ name, state: found }) => found === 'ready' || name === 'simulator'),
    description,
  };
}
