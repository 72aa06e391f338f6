import { invariant } from '@partner/kernel/invariant';
import type { SimulatedWorld } from './sale-state.js';
import { simulatedSale } from './simulated-sale.js';

/** One of so many moves begins a sale, until there are as many as may be open. */
const MOVES_PER_SALE = 8;

/** What goes on in the sandbox without anybody doing it. */
export interface Simulation {
  /** Makes one move and gives its name. Never two at a time. */
  move(): Promise<string>;
  /** Sales that have begun and not come to their end. */
  openSales(): number;
}

/**
 * Plays the platform and the installers of the sandbox: sales begin, go on by turns that chance decides, and come to their ends.
 * At most `maxOpen` are remembered. The same random numbers make the same choices.
 */
export function createSimulation(world: SimulatedWorld & { readonly maxOpen: number }): Simulation {
  const open: AsyncGenerator<string, void, undefined>[] = [];

  return {
    async move() {
      for (;;) {
        const mayBegin = open.length < world.maxOpen;
        if (open.length === 0 || (mayBegin && world.random() < 1 / MOVES_PER_SALE)) {
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
