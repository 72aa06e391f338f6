import { invariant } from '@partner/kernel/process/invariant';
import type { SimulatedWorld } from './sale-state.js';
import { simulatedSale } from './simulated-sale.js';

/** On average, one move in this many starts a sale, up to `maxOpen` open sales. */
const MOVES_PER_SALE = 8;

/** Simulated activity of the sandbox. */
export interface Simulation {
  /** Makes one move and returns its name. Callers must not overlap calls. */
  move(): Promise<string>;
  /** Number of sales that are not finished. */
  openSales(): number;
}

/**
 * Simulates the platform and the installers of the sandbox. Each move starts or advances a randomly chosen sale. At most
 * `maxOpen` sales are open. The same random numbers make the same choices.
 */
export function createSimulation(world: SimulatedWorld & { readonly maxOpen: number }): Simulation {
  const open: AsyncGenerator<string, void, undefined>[] = [];

  return {
    async move() {
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
