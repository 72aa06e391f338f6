import { createHash } from 'node:crypto';

/** Seed of everything random in tests. It is fixed, so every run makes the same choices; `scripts/test --seed` sets another. */
export const SEED = Number(process.env['SEED'] ?? 20_260_826);

/** A number from 0 up to but not including 1 that depends on the texts alone. */
export function fractionOf(...texts: readonly (string | number)[]): number {
  return createHash('sha256').update(texts.join('\n')).digest().readUInt32BE(0) / 2 ** 32;
}

/** A row of numbers from 0 up to but not including 1, the same for the same seed. */
export function seededRandom(seed: number | string): () => number {
  let turn = 0;
  return () => fractionOf(seed, (turn += 1));
}

/** The items in a random order. */
export function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
