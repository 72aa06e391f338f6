import { runForNoRequest } from '../telemetry/request-context.js';

/**
 * Creates a function that runs single items in batches. The first item runs at once. Items that arrive while a batch
 * runs form the next batch, in order of arrival. Each caller gets the result of its item; `run` returns them in the order of
 * the items. Two batches never run at the same time.
 *
 * With `gather` the first item waits for others: until `items` wait, at most `ms`.
 *
 * With `keysOf` no two items of a batch have a common key. The second one, and later items that have a common key with it, wait
 * for a later batch, so that items with a common key run in order of arrival. An `alone` item has its own batch.
 *
 * A failure for which `isOfAll` is not true is attributed to one item. Each item is then run again alone, so that
 * only the failing one rejects. Batches run outside of any request and its trace, because their
 * items may come from several.
 */
export function batchWhileBusy<Item, Result = undefined>(options: {
  readonly maxItems: number;
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly isOfAll: (cause: unknown) => boolean;
  readonly keysOf?: (item: Item) => readonly string[] | 'alone';
  readonly gather?: { readonly items: number; readonly ms: number };
}): (item: Item) => Promise<Result> {
  interface Waiting {
    readonly item: Item;
    readonly resolve: (result: Result) => void;
    readonly reject: (cause: unknown) => void;
  }
  let waiting: Waiting[] = [];
  let isBusy = false;
  let gathering: NodeJS.Timeout | undefined;

  async function runOneByOne(batch: readonly Waiting[]): Promise<void> {
    for (const one of batch) {
      await options.run([one.item]).then((results) => settle([one], results), one.reject);
    }
  }

  /** A wrong number of results is a defect of `run`, whose work is done: it rejects all items, and none runs again. */
  function settle(batch: readonly Waiting[], results: readonly Result[]): void {
    if (results.length === batch.length) {
      for (const [index, result] of results.entries()) batch[index]?.resolve(result);
    } else {
      const error = new Error(`broken invariant: ${results.length} results of ${batch.length} items`);
      for (const { reject } of batch) reject(error);
    }
  }

  function takeBatch(): readonly Waiting[] {
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    const seen = new Set<string>();
    let isAlone = false;
    for (const each of waiting) {
      const keys = options.keysOf?.(each.item) ?? [];
      const isFree = keys === 'alone' ? batch.length === 0 : !keys.some((key) => seen.has(key));
      if (isFree && !isAlone && batch.length < options.maxItems) batch.push(each);
      else left.push(each);
      if (keys === 'alone') isAlone = true;
      else for (const key of keys) seen.add(key);
    }
    waiting = left;
    return batch;
  }

  async function runAll(): Promise<void> {
    clearTimeout(gathering);
    gathering = undefined;
    isBusy = true;
    while (waiting.length > 0) {
      const batch = takeBatch();
      let results: readonly Result[];
      try {
        results = await options.run(batch.map(({ item }) => item));
      } catch (error) {
        if (batch.length > 1 && !options.isOfAll(error)) await runOneByOne(batch);
        else for (const { reject } of batch) reject(error);
        continue;
      }
      settle(batch, results);
    }
    isBusy = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isBusy) return;
      // Never rejects: each failure goes to the callers of the batch.
      const run = () => void runForNoRequest(runAll);
      if (waiting.length >= (options.gather?.items ?? 1)) run();
      else gathering ??= setTimeout(run, options.gather?.ms);
    });
}
