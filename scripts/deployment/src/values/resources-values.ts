import { z } from 'zod';
import { cpu, group, memory } from './value-types.js';

export function resourcesValues(defaults: {
  readonly cpu: string;
  readonly memory: string;
  readonly memoryLimit: string;
}) {
  return z.strictObject({
    requests: group('What the scheduler reserves.', {
      cpu: cpu.default(defaults.cpu).describe('Requested CPU.'),
      memory: memory.default(defaults.memory).describe('Requested memory.'),
    }),
    limits: group('Limits. None for CPU, which would only slow a pod down beside an idle CPU.', {
      memory: memory.default(defaults.memoryLimit).describe('Memory limit.'),
    }),
  });
}
