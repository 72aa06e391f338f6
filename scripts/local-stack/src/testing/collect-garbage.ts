import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Makes this process collect its garbage now. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  // A context created from now on has it.
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('this Node cannot collect garbage on request');
  Reflect.apply(collect, undefined, []);
}
