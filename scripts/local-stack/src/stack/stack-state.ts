import path from 'node:path';
import { z } from 'zod';
import { backingServiceSource } from '../backing-services/backing-service.js';
import { readJson, writePrivateJson } from '../private-file.js';
import { PROJECT_ROOT } from '../project-root.js';

export const DEFAULT_DIRECTORY = path.join(PROJECT_ROOT, '.stack');

export const STACK_DIRECTORY_VARIABLE = 'PARTNER_STACK_DIRECTORY';

const processRecord = z.object({
  pid: z.int(),
  startedAt: z.string(),
  stopSignal: z.enum(['SIGTERM', 'SIGINT']),
  stopGraceMs: z.int(),
});

export type ProcessRecord = z.infer<typeof processRecord>;

const port = z.int().min(1).max(65_535);

/** The set-up and processes of a stack: all that is needed to repair and to end it. */
const stackPlan = z.object({
  backingServices: z.object({
    postgres: backingServiceSource,
    rabbitmq: backingServiceSource,
    redis: backingServiceSource,
  }),
  durable: z.boolean(),
  redisKeyPrefix: z.string(),
  /** tls: of the proxy, for webhooks to the console. listener: kept free for a server of the developer. mail: absent in a stack that was started without a mail sink. */
  ports: z.object({ proxy: port, tls: port, receiver: port, listener: port, mail: port.optional() }),
  services: z.record(
    z.string(),
    z.object({ adminPort: port, httpPort: port.optional(), settings: z.record(z.string(), z.string()) }),
  ),
  devHosts: z.string(),
  /** Absent: nothing is simulated in the sandbox. */
  simulator: z.object({ adminPort: port, movesPerMinute: z.int().min(1) }).optional(),
});

export type StackPlan = z.infer<typeof stackPlan>;

const stackState = z.object({
  plan: stackPlan,
  owner: z.object({ pid: z.int(), startedAt: z.string() }).nullable(),
  processes: z.record(z.string(), processRecord),
});

export type StackState = z.infer<typeof stackState>;

export function stackFiles(directory: string) {
  return {
    state: path.join(directory, 'state.json'),
    description: path.join(directory, 'stack.json'),
    secrets: path.join(directory, 'secrets.json'),
    lock: path.join(directory, 'lock.json'),
    logs: path.join(directory, 'logs'),
    receiver: path.join(directory, 'receiver'),
    mail: path.join(directory, 'mail'),
  } as const;
}

/** Returns the state in a directory; undefined if no stack was started there, or it was ended in order. */
export function readStackState(directory: string): StackState | undefined {
  return readJson(stackFiles(directory).state, stackState);
}

export function writeStackState(directory: string, state: StackState): void {
  writePrivateJson(stackFiles(directory).state, state);
}
