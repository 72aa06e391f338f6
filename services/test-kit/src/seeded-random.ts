import { createHash } from 'node:crypto';

/**
 * Seed of everything random in tests. It is fixed, so every run makes the same choices; `scripts/test --seed` sets
 * another.
 */
export const SEED = Number(process.env['SEED'] ?? 20_260_826);

/** Returns a number in [0, 1) that depends on the texts only. */
export function fractionOf(...texts: readonly (string | number)[]): number {
  return createHash('sha256').update(texts.join('\n')).digest().readUInt32BE(0) / 2 ** 32;
}

/** Returns a generator of numbers in [0, 1); the same seed gives the same sequence. */
export function seededRandom(seed: number | string): () => number {
  let turn = 0;
  return () => fractionOf(seed, (turn += 1));
}

export function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
