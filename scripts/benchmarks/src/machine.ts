import { cpus, release, totalmem, type } from 'node:os';

/** Describes this machine; figures of different machines are not comparable. */
export function describeMachine() {
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
export function machineLine(machine: ReturnType<typeof describeMachine>): string {
  return `${machine.cores} cores (${machine.processor}), ${machine.memoryGiB} GiB, Node ${machine.node}, ${machine.system}`;
}
