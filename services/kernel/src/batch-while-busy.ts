import { runWithRequestId } from './request-context.js';

/**
 * Makes a function that runs single items in batches: the first one at once, and whatever comes while a batch is running
 * together in the next one, in the order of their coming. Each caller gets the end of the batch that held its item. Never
 * runs two batches at the same time. A failure for which `isOfAll` is not true is taken for the fault of one item: each item
 * is run again by itself, so that only the one at fault fails.
 * Batches run on behalf of no request, since their items may come from several.
 */
export function batchWhileBusy<Item>(options: {
  readonly maxItems: number;
  readonly run: (items: readonly Item[]) => Promise<void>;
  readonly isOfAll: (cause: unknown) => boolean;
}): (item: Item) => Promise<void> {
  interface Waiting {
    readonly item: Item;
    readonly resolve: () => void;
    readonly reject: (cause: unknown) => void;
  }
  let waiting: Waiting[] = [];
  let isBusy = false;

  async function runOneByOne(batch: readonly Waiting[]): Promise<void> {
    for (const { item, resolve, reject } of batch) await options.run([item]).then(resolve, reject);
  }

  async function runAll(): Promise<void> {
    isBusy = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, options.maxItems);
      waiting = waiting.slice(options.maxItems);
      try {
        await options.run(batch.map(({ item }) => item));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        if (batch.length > 1 && !options.isOfAll(error)) await runOneByOne(batch);
        else for (const { reject } of batch) reject(error);
      }
    }
    isBusy = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // It never rejects: each failure goes to those who wait for the batch.
      if (!isBusy) void runWithRequestId(undefined, runAll);
    });
}
