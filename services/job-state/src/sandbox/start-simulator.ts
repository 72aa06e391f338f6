import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { PLATFORM } from '@partner/proto-contracts/topology';
import { type Publisher, PublishError } from '@partner/kernel/amqp/publisher';
import { invariant } from '@partner/kernel/process/invariant';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { Counter, Gauge, type Registry } from 'prom-client';
import { type Loop, startLoop } from '../database/start-loop.js';
import { sandboxCompanies } from './sandbox-companies.js';
import { sandboxJobs } from './sandbox-jobs.js';
import type { SimulatedWorld } from './sale-state.js';
import { simulatedSale } from './simulated-sale.js';
import { stableBytes } from './stable-id.js';

const MAX_OPEN_SALES = 200;
const FAILURE_PAUSE_MS = 1_000;

/**
 * Makes moves on the sandbox's companies at a fixed rate. If the broker does not confirm a message, the simulator retries it
 * under the same message id and makes no other move. `stop` waits for the move in flight; it ends even while the broker is down.
 */
export function startSimulator(deps: {
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly operations: SimulatedWorld['operations'];
  readonly seed: string;
  readonly movesPerMinute: number;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly metrics: Registry;
}): Pick<Loop, 'stop'> {
  const { publisher, logger, metrics } = deps;
  const moves = new Counter({
    name: 'partner_simulator_moves_total',
    help: "Actions of the sandbox's simulator, by kind",
    labelNames: ['move'] as const,
    registers: [metrics],
  });
  const openSales = new Gauge({
    name: 'partner_simulator_open_sales',
    help: "Unfinished sales of the sandbox's simulator",
    registers: [metrics],
  });
  const stopping = new AbortController();

  async function publish<Desc extends DescMessage>(
    schema: Desc,
    content: MessageInitShape<Desc>,
  ): Promise<void> {
    const message = {
      exchange: PLATFORM,
      routingKey: schema.typeName,
      type: schema.typeName,
      messageId: randomUUID(),
      body: toBinary(schema, create(schema, content)),
    };
    for (;;) {
      try {
        return await publisher.publish(message);
      } catch (error) {
        if (!(error instanceof PublishError) || stopping.signal.aborted) throw error;
        await setTimeout(FAILURE_PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  }

  const companies = sandboxCompanies();
  const leads = sandboxJobs(companies).map(({ lead, versions }) => ({
    id: lead.id,
    companyId: versions[0]?.job.sellingCompany.id,
  }));
  const simulation = createSimulation({
    sellers: companies.filter((company) => company.class === 'SALES'),
    installers: companies.filter((company) => company.class === 'INSTALLER'),
    leadIdsOf: (companyId) => leads.filter((lead) => lead.companyId === companyId).map(({ id }) => id),
    publish,
    operations: deps.operations,
    random: seededRandom(deps.seed),
    clock: deps.clock,
    maxOpen: MAX_OPEN_SALES,
  });
  const loop = startLoop({
    name: 'simulator',
    intervalMs: 60_000 / deps.movesPerMinute,
    logger,
    metrics,
    async runOnce() {
      const move = await simulation.move();
      moves.inc({ move });
      openSales.set(simulation.openSales());
      logger.debug({ move }, 'simulator.moved');
      return 'idle';
    },
  });
  return {
    async stop() {
      stopping.abort();
      await loop.stop();
    },
  };
}

/** On average, one move in this many starts a sale, up to `maxOpen` open sales. */
const MOVES_PER_SALE = 8;

/**
 * Simulates the platform and the installers of the sandbox. Each move starts or advances a randomly chosen sale. At most
 * `maxOpen` sales are open. The same random numbers make the same choices.
 */
export function createSimulation(world: SimulatedWorld & { readonly maxOpen: number }) {
  const open: AsyncGenerator<string, void, undefined>[] = [];

  return {
    /** Makes one move and returns its name. Callers must not overlap calls. */
    async move(): Promise<string> {
      for (;;) {
        const mayStart = open.length < world.maxOpen;
        if (open.length === 0 || (mayStart && world.random() < 1 / MOVES_PER_SALE)) {
          open.push(simulatedSale(world));
        }
        const index = Math.floor(world.random() * open.length);
        const sale = open[index];
        invariant(sale, 'a sale is open');
        const { value, done } = await sale.next();
        if (done !== true) return value;
        open.splice(index, 1);
      }
    },
    openSales: () => open.length,
  };
}

/** Returns a generator of numbers in [0, 1) that the seed determines. */
export function seededRandom(seed: string): () => number {
  let count = 0;
  return () => {
    count += 1;
    return stableBytes(`random ${seed} ${count}`, 4).readUInt32BE() / 2 ** 32;
  };
}
