import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import type { SandboxCompany } from './sandbox-companies.js';

const HOUR_MS = 3_600_000;

export interface SimulatedWorld {
  readonly sellers: readonly SandboxCompany[];
  readonly installers: readonly SandboxCompany[];
  /** Leads of a selling company, for its appointments. */
  readonly leadIdsOf: (sellingCompanyId: string) => readonly string[];
  /** Publishes a platform message; resolves once the broker has confirmed it. */
  readonly publish: <Desc extends DescMessage>(
    schema: Desc,
    content: MessageInitShape<Desc>,
  ) => Promise<void>;
  /** Calls of the simulated installers. */
  readonly operations: Pick<OperationClient, 'call'>;
  /** Returns a number in [0, 1). Decides every choice. */
  readonly random: () => number;
  readonly clock: () => Date;
}

/** One simulated sale: its project, the versions of everything that it has published, and its choices. */
export type SaleState = ReturnType<typeof beginSale>;

export function beginSale(world: SimulatedWorld) {
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
    /** Price of the whole project, in cents. */
    price: 800_000 + Math.floor(random() * 2_000_000),
    /** Last published version of a resource; 0 for a new one. */
    version,
    /** Returns the fields of a message about the next version of a resource. */
    next(id: string) {
      versions.set(id, version(id) + 1);
      return { version: version(id), occurredAt: timestampFromDate(clock()) };
    },
    /** Publishes a platform message, as a move of this name. */
    async *publish<Desc extends DescMessage>(
      move: string,
      schema: Desc,
      content: MessageInitShape<Desc>,
    ): AsyncGenerator<string, void, undefined> {
      await world.publish(schema, content);
      yield move;
    },
    pick,
    chance: (probability: number) => random() < probability,
    now: () => timestampFromDate(clock()),
    inHours: (hours: number) => timestampFromDate(new Date(clock().getTime() + hours * HOUR_MS)),
  };
}

/** A money value in US dollars from an amount in cents. */
export function usd(amountMinor: number) {
  return { amountMinor: String(Math.round(amountMinor)), currency: 'USD' };
}
