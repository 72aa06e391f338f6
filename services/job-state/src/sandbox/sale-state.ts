import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf';
import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import type { JobService } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import type { SandboxCompany } from './sandbox-companies.js';

const HOUR_MS = 3_600_000;

/** Where a sale plays. */
export interface SimulatedWorld {
  readonly sellers: readonly SandboxCompany[];
  readonly installers: readonly SandboxCompany[];
  /** Leads that appointments are made with, by selling company. */
  readonly leadIdsOf: (sellingCompanyId: string) => readonly string[];
  /** Tells the platform's side of the story; resolves once the broker has taken the message. */
  readonly tell: <Desc extends DescMessage>(schema: Desc, content: MessageInitShape<Desc>) => Promise<void>;
  /** The installers' side. */
  readonly jobs: Pick<
    Client<typeof JobService>,
    'getJob' | 'recordStatusEvent' | 'setSchedule' | 'replaceAssignments'
  >;
  /** From 0 to 1, less than 1: what decides. */
  readonly random: () => number;
  readonly clock: () => Date;
}

/** One simulated sale: its project, the versions of everything that it has published, and its choices. */
export interface SaleState {
  readonly world: SimulatedWorld;
  readonly seller: SandboxCompany;
  readonly projectId: string;
  /** Of the whole project, in cents. */
  readonly price: number;
  /** The last version of a thing; 0 for a new one. */
  readonly version: (id: string) => number;
  /** The next version of a thing, which is its last one from then on. */
  readonly next: (id: string) => number;
  readonly pick: <T>(from: readonly T[]) => T;
  /** True with this probability. */
  readonly chance: (share: number) => boolean;
  readonly now: () => Timestamp;
  readonly inHours: (hours: number) => Timestamp;
}

/** Begins a sale of a company that the world's random numbers choose. */
export function beginSale(world: SimulatedWorld): SaleState {
  const { random, clock } = world;
  const pick = <T>(from: readonly T[]): T => {
    const picked = from[Math.floor(random() * from.length)];
    invariant(picked !== undefined, 'there is something to pick from');
    return picked;
  };
  const versions = new Map<string, number>();
  const version = (id: string) => versions.get(id) ?? 0;
  return {
    world,
    seller: pick(world.sellers),
    projectId: newId('prj'),
    price: 800_000 + Math.floor(random() * 2_000_000),
    version,
    next(id) {
      versions.set(id, version(id) + 1);
      return version(id);
    },
    pick,
    chance: (share) => random() < share,
    now: () => timestampFromDate(clock()),
    inHours: (hours) => timestampFromDate(new Date(clock().getTime() + hours * HOUR_MS)),
  };
}

/** An amount of US dollars, given in cents. */
export function usd(amountMinor: number) {
  return { amountMinor: String(Math.round(amountMinor)), currency: 'USD' };
}
