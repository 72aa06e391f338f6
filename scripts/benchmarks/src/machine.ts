import { cpus, release, totalmem, type } from 'node:os';

/** On what a benchmark ran; figures of other machines do not compare. */
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

/** The machine in one line for a person. */
export function machineLine(machine: Machine): string {
  return `${machine.cores} cores (${machine.processor}), ${machine.memoryGiB} GiB, Node ${machine.node}, ${machine.system}`;
}
