import {
  JOB_STATE_MANAGEMENT_RPC,
  JOB_STATE_OPERATOR_RPC,
  JOB_STATE_INBOUND_RPC,
  JOB_STATE_INSTALLER_RPC,
  DELIVERY_RESULTS,
  WEBHOOK_DELIVERIES,
  WEBHOOK_DISPATCHER_RPC,
} from '@partner/proto-contracts/topology';
import { seededRandom, shuffled } from '@partner/test-kit/seeded-random';

/** The replicas that the mix is played on, besides one of each other service. */
export const FAULTY_REPLICAS = { 'job-state': 2, 'webhook-dispatcher': 2 } as const;

/** Everything that can die or stand still. The port mapper of the broker's runtime is left alone: nothing of the service uses it. */
export const FAULTY_PROCESSES = [
  'job-state',
  'job-state-2',
  'webhook-dispatcher',
  'webhook-dispatcher-2',
  'installer-gateway',
  'inbound-gateway',
  'console',
  'proxy',
  'rabbitmq',
  'postgres',
  'redis',
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

type ProcessName = (typeof FAULTY_PROCESSES)[number];

/** One thing that goes wrong. */
export type Fault =
  | { readonly kind: 'kill'; readonly process: ProcessName }
  | { readonly kind: 'stand still'; readonly process: ProcessName; readonly forMs: number }
  | { readonly kind: 'restart'; readonly process: 'rabbitmq' }
  | { readonly kind: 'purge'; readonly queue: (typeof PURGED_QUEUES)[number] }
  | { readonly kind: 'close all broker connections' }
  | { readonly kind: 'flush redis' }
  | { readonly kind: 'terminate all database backends' };

/** A fault and when it begins, in milliseconds after the beginning of the mix. */
export interface PlannedFault {
  readonly atMs: number;
  readonly fault: Fault;
}

const SHORTEST_STILL_MS = 1_000;
const LONGEST_STILL_MS = 8_000;
/** How often each fault comes, on average. */
const ROUND_MS = 60_000;

/**
 * The faults of a span, the same for the same seed: in each minute each kind of fault befalls each thing once, at a random time
 * and so in a random order, so that they overlap as it happens.
 */
export function planFaults(seed: number, spanMs: number): PlannedFault[] {
  const random = seededRandom(`${seed} faults`);
  const rounds = Math.max(1, Math.round(spanMs / ROUND_MS));
  const planned = Array.from({ length: rounds }, (_, round) => {
    const faults = shuffled(everyFault(random), random);
    return faults.map((fault, place) => ({
      fault,
      atMs: Math.round((spanMs / rounds) * (round + (place + random()) / faults.length)),
    }));
  });
  return planned.flat();
}

function everyFault(random: () => number): Fault[] {
  return [
    ...FAULTY_PROCESSES.map((process): Fault => ({ kind: 'kill', process })),
    ...FAULTY_PROCESSES.map((process): Fault => {
      const forMs = Math.round(SHORTEST_STILL_MS + random() * (LONGEST_STILL_MS - SHORTEST_STILL_MS));
      return { kind: 'stand still', process, forMs };
    }),
    ...PURGED_QUEUES.map((queue): Fault => ({ kind: 'purge', queue })),
    { kind: 'restart', process: 'rabbitmq' },
    { kind: 'close all broker connections' },
    { kind: 'flush redis' },
    { kind: 'terminate all database backends' },
  ];
}

/** A fault in words. */
export function describeFault(fault: Fault): string {
  switch (fault.kind) {
    case 'kill':
      return `kill -9 of ${fault.process}`;
    case 'stand still':
      return `${fault.process} stands still for ${fault.forMs} ms`;
    case 'restart':
      return `restart of ${fault.process}`;
    case 'purge':
      return `purge of ${fault.queue}`;
    case 'close all broker connections':
    case 'flush redis':
    case 'terminate all database backends':
      return fault.kind;
  }
}
