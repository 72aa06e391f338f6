import { cpus, release, totalmem, type } from 'node:os';

/** The machine of a benchmark; figures of different machines are not comparable. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGiB: number;
  readonly node: string;
  readonly system: string;
}

/** Describes this machine. */
export function describeMachine(): Machine {
  const processors = cpus();
  return {
    cores: processors.length,
    processor: processors[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round((totalmem() / 2 ** 30) * 10) / 10,
    node: process.version,
    system: `${type()} ${release()}`,
  };
}

/** Renders the machine in one line. */
export function machineLine(machine: Machine): string {
  return `${machine.cores} cores (${machine.processor}), ${machine.memoryGiB} GiB, Node ${machine.node}, ${machine.system}`;
}
