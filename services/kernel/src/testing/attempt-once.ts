import type { WaitFor } from '../process/wait-for.js';

/** For tests whose dependencies are there: attempts once, and fails as the attempt does. */
export const attemptOnce: WaitFor = (_what, attempt) => attempt();
