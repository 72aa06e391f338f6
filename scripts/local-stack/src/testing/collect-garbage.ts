import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Has this process collect its garbage now: what nothing holds any more is gone. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  // A context made from now on has it.
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('this Node collects garbage when it likes only');
  Reflect.apply(collect, undefined, []);
}
