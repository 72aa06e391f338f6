import fc from 'fast-check';
import { SEED } from './seeded-random.js';

// By default fast-check takes its seed from the clock.
fc.configureGlobal({ seed: SEED });

export { fc };

/** Draws from each arbitrary as often as its weight says. */
export function either<Value>(
  ...choices: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<Value>])[]
): fc.Arbitrary<Value> {
  return fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}
