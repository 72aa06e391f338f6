import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { readStackState } from '@partner/local-stack/stack/stack-state';
import type { Stack } from '@partner/local-stack/stack/start-stack';
import {
  JOB_STATE_MANAGEMENT_RPC,
  JOB_STATE_OPERATOR_RPC,
  JOB_STATE_INBOUND_RPC,
  JOB_STATE_INSTALLER_RPC,
  DELIVERY_RESULTS,
  WEBHOOK_DELIVERIES,
  WEBHOOK_DISPATCHER_RPC,
} from '@partner/proto-contracts/topology';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import { rabbitmqPrograms, withRabbitmq } from '@partner/test-kit/backing-services/rabbitmq';
import { withRedis } from '@partner/test-kit/backing-services/redis';
import { seededRandom, shuffled } from '@partner/test-kit/seeded-random';

/** The replicas that the faults are played on. */
export const FAULTY_REPLICAS = {
  'job-state': 2,
  'webhook-dispatcher': 2,
  'installer-gateway': 2,
  'inbound-gateway': 2,
  console: 2,
} as const;

const SERVERS = ['rabbitmq', 'postgres', 'redis'] as const;

/** Everything that can die or stand still. The port mapper of the broker's runtime is left alone: nothing of the service uses it. */
export const FAULTY_PROCESSES = [
  'job-state',
  'job-state-2',
  'webhook-dispatcher',
  'webhook-dispatcher-2',
  'installer-gateway',
  'installer-gateway-2',
  'inbound-gateway',
  'inbound-gateway-2',
  'console',
  'console-2',
  'proxy',
  ...SERVERS,
] as const;

/**
 * The queues that may lose everything at any moment. `job-state.platform-messages` and `platform.partner-events` are not among
 * them: they hold what the service received under a confirm, or was confirmed itself. Who purges them by hand has decided that
 * it is to be lost, and no service can undo that.
 */
export const PURGED_QUEUES = [
  JOB_STATE_INBOUND_RPC.name,
  JOB_STATE_INSTALLER_RPC.name,
  JOB_STATE_MANAGEMENT_RPC.name,
  JOB_STATE_OPERATOR_RPC.name,
  WEBHOOK_DISPATCHER_RPC.name,
  WEBHOOK_DELIVERIES.name,
  DELIVERY_RESULTS.name,
] as const;

interface Fault {
  readonly what: string;
  /** The process with the fault, which has no other one meanwhile; absent: the fault is a command to a server. */
  readonly process?: (typeof FAULTY_PROCESSES)[number];
  /** Returns its outcome. Starts a process again that it ends. */
  inject(stack: Stack): Promise<string>;
}

export interface PlannedFault {
  readonly atMs: number;
  readonly fault: Fault;
}

const SHORTEST_STILL_MS = 1_000;
const LONGEST_STILL_MS = 8_000;
const PURGE_MS = 1_000;
const COMMAND_MS = 60_000;
const READY_MS = 120_000;
/**
 * Which faults come, and how often each of them, on average. `storm`: all, also lost messages and keys. `night`: what becomes of
 * processes, servers and connections.
 */
const MIXES = {
  storm: { roundMs: 60_000, faults: (random: () => number) => [...failures(random), ...losses()] },
  night: { roundMs: 1_800_000, faults: failures },
} as const;

export type FaultMix = keyof typeof MIXES;

/**
 * The faults of a span, the same for the same seed: in each round each process, server and queue has each kind of fault once, at a
 * random time and so in a random order, so that they overlap as it happens.
 */
export function planFaults(seed: number, spanMs: number, mix: FaultMix): PlannedFault[] {
  const random = seededRandom(`${seed} faults`);
  const { roundMs, faults: drawn } = MIXES[mix];
  const rounds = Math.max(1, Math.round(spanMs / roundMs));
  const planned = Array.from({ length: rounds }, (_, round) => {
    const faults = shuffled(drawn(random), random);
    return faults.map((fault, place) => ({
      fault,
      atMs: Math.round((spanMs / rounds) * (round + (place + random()) / faults.length)),
    }));
  });
  return planned.flat();
}

function failures(random: () => number): Fault[] {
  const stillMs = () => Math.round(SHORTEST_STILL_MS + random() * (LONGEST_STILL_MS - SHORTEST_STILL_MS));
  return [
    ...FAULTY_PROCESSES.map((process) => startAgain(process, 'kill -9')),
    ...FAULTY_PROCESSES.map((process) => standStill(process, stillMs())),
    ...SERVERS.map((server) => startAgain(server, 'stop')),
    { what: 'close all broker connections', inject: closeConnections },
    { what: 'close all redis connections', inject: closeRedisConnections },
    { what: 'terminate all database backends', inject: terminateBackends },
  ];
}

function losses(): Fault[] {
  return [
    ...PURGED_QUEUES.map((queue) => purge(queue)),
    {
      what: 'flush redis',
      inject: ({ description }) => withRedis(description.redisUrl, (client) => client.flushall()),
    },
  ];
}

const startAgain = (process: (typeof FAULTY_PROCESSES)[number], end: 'kill -9' | 'stop'): Fault => ({
  what: `${end} and start of ${process}`,
  process,
  async inject(stack) {
    await (end === 'stop' ? stack.process(process).stop() : stack.process(process).kill('SIGKILL'));
    await stack.process(process).start();
    // What a server needs for its start is no delay of the service.
    if (SERVERS.some((server) => server === process))
      await stack.process(process).ready(AbortSignal.timeout(READY_MS));
    return '';
  },
});

const standStill = (process: (typeof FAULTY_PROCESSES)[number], forMs: number): Fault => ({
  what: `${process} stands still for ${forMs} ms`,
  process,
  async inject(stack) {
    await stack.process(process).kill('SIGSTOP');
    await delay(forMs);
    await stack.process(process).kill('SIGCONT');
    return '';
  },
});

/** Takes whatever comes into a queue for a while; a single purge mostly finds it empty. */
const purge = (queue: string): Fault => ({
  what: `purge of ${queue}`,
  inject: ({ description }) =>
    withRabbitmq(description.amqpUrl, async (connection) => {
      const channel = await connection.createChannel();
      channel.on('error', () => undefined);
      let messages = 0;
      for (const end = Date.now() + PURGE_MS; Date.now() < end;) {
        const { messageCount } = await channel.purgeQueue(queue);
        messages += messageCount;
      }
      return `${messages} messages`;
    }),
});

async function terminateBackends({ description }: Stack): Promise<string> {
  return withPostgres(description.postgresUrl, async (client) => {
    const ended = await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    return `${ended.rowCount} backends`;
  });
}

async function closeRedisConnections({ description }: Stack): Promise<string> {
  return withRedis(description.redisUrl, async (client) => {
    return `${String(await client.call('CLIENT', 'KILL', 'TYPE', 'normal'))} connections`;
  });
}

async function closeConnections(stack: Stack): Promise<string> {
  const source = readStackState(stack.directory)?.plan.backingServices.rabbitmq;
  if (source?.kind !== 'private') throw new Error('the broker is not the own one of the stack');
  const { server, controlEnv } = rabbitmqPrograms({
    directory: path.join(stack.directory, 'rabbitmq'),
    port: source.port,
    portMapperPort: source.portMapperPort ?? 0,
    distributionPort: source.distributionPort ?? 0,
  });
  const control = path.join(path.dirname(server.command), 'rabbitmqctl');
  const { stdout } = await promisify(execFile)(control, ['close_all_connections', 'the test asks for it'], {
    env: controlEnv,
    timeout: COMMAND_MS,
    killSignal: 'SIGKILL',
  });
  return stdout.trim();
}
