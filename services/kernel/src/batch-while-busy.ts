import { runWithRequestId } from './request-context.js';

/**
 * Creates a function that runs single items in batches. The first item runs at once. Items that arrive while a batch
 * runs form the next batch, in order of arrival. Each caller gets the result of its item's batch. Two batches never run
 * at the same time.
 *
 * A failure for which `isOfAll` is not true is attributed to one item. Each item is then run again by itself, so that
 * only the failing one rejects. Batches run on behalf of no request, because their items may come from several.
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
      // Never rejects: each failure goes to the callers of the batch.
      if (!isBusy) void runWithRequestId(undefined, runAll);
    });
}
