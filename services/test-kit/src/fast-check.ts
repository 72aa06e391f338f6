import fc from 'fast-check';
import { SEED } from './seeded-random.js';

// By default fast-check takes its seed from the clock.
fc.configureGlobal({ seed: SEED });

export { fc };
